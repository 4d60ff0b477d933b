package film

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// picture returns a picture with a square of that colour in it.
func picture(t *testing.T, square color.Color, at int) []byte {
	t.Helper()
	p := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for y := range 30 {
		for x := range 40 {
			p.Set(x, y, color.White)
			if x >= at && x < at+5 && y >= 10 && y < 15 {
				p.Set(x, y, square)
			}
		}
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, p))
	return out.Bytes()
}

// TestJoin checks that a moving picture is a PNG of its first frame, and holds the others as the parts that
// differ, in order.
func TestJoin(t *testing.T) {
	t.Parallel()
	red := color.RGBA{200, 0, 0, 255}
	film, err := Join([]Frame{
		{picture(t, red, 5), time.Second},
		{picture(t, red, 10), 2 * time.Second},
		{picture(t, red, 10), time.Second},
	})
	require.NoError(t, err)
	first, err := png.Decode(bytes.NewReader(film))
	require.NoError(t, err)
	require.Equal(t, red, color.RGBAModel.Convert(first.At(6, 12)))
	require.Equal(t, color.RGBA{255, 255, 255, 255}, color.RGBAModel.Convert(first.At(12, 12)))
	var kinds []string
	var sequence []uint32
	for rest := film[8:]; len(rest) > 0; {
		size := binary.BigEndian.Uint32(rest)
		body := rest[4 : 8+size]
		require.Equal(t, crc32.ChecksumIEEE(body), binary.BigEndian.Uint32(rest[8+size:]))
		kind := string(body[:4])
		kinds = append(kinds, kind)
		if kind == "fcTL" || kind == "fdAT" {
			sequence = append(sequence, binary.BigEndian.Uint32(body[4:]))
		}
		if kind == "fcTL" && len(sequence) == 2 {
			require.Equal(t, []byte{0, 0, 0, 10, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 10}, body[8:24],
				"both squares, and no more")
			require.Equal(t, uint16(2000), binary.BigEndian.Uint16(body[24:]))
		}
		rest = rest[12+size:]
	}
	require.Equal(t, []string{
		"IHDR", "acTL", "fcTL", "PLTE", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND",
	}, kinds)
	require.Equal(t, []uint32{0, 1, 2, 3, 4}, sequence)
	_, err = Join(nil)
	require.Error(t, err)
}

// TestReduce checks that a picture with few colours stays as it is, and that one with many gets near ones.
func TestReduce(t *testing.T) {
	t.Parallel()
	same := picture(t, color.RGBA{1, 2, 3, 255}, 7)
	small, err := Reduce(same)
	require.NoError(t, err)
	shown, err := png.Decode(bytes.NewReader(small))
	require.NoError(t, err)
	require.Equal(t, color.RGBA{1, 2, 3, 255}, color.RGBAModel.Convert(shown.At(8, 12)))

	many := image.NewRGBA(image.Rect(0, 0, 100, 100))
	for y := range 100 {
		for x := range 100 {
			many.Set(x, y, color.RGBA{uint8(2 * x), uint8(2 * y), 0, 255})
		}
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, many))
	small, err = Reduce(out.Bytes())
	require.NoError(t, err)
	shown, err = png.Decode(bytes.NewReader(small))
	require.NoError(t, err)
	paletted, is := shown.(*image.Paletted)
	require.True(t, is)
	require.Greater(t, len(paletted.Palette), 50)
	require.LessOrEqual(t, len(paletted.Palette), 256)
	for y := range 100 {
		for x := range 100 {
			got, _ := color.RGBAModel.Convert(shown.At(x, y)).(color.RGBA)
			require.InDelta(t, 2*x, got.R, 16)
			require.InDelta(t, 2*y, got.G, 16)
		}
	}
}
