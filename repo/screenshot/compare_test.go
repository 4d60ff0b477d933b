package screenshot

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain returns a white picture with black places.
func plain(t *testing.T, wide, high int, black ...image.Rectangle) []byte {
	t.Helper()
	p := image.NewRGBA(image.Rect(0, 0, wide, high))
	draw.Draw(p, p.Bounds(), image.White, image.Point{}, draw.Src)
	for _, r := range black {
		draw.Draw(p, r, image.Black, image.Point{}, draw.Src)
	}
	return pngOf(t, p)
}

func pngOf(t *testing.T, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, p))
	return b.Bytes()
}

func TestPlacesThatLookDifferentAreBoxed(t *testing.T) {
	t.Parallel()
	button := image.Rect(100, 100, 180, 130)
	note := image.Rect(500, 300, 520, 310)
	before := plain(t, 800, 600, note)
	for name, c := range map[string]struct {
		after  []byte
		places int
	}{
		"the same":       {before, 0},
		"one is new":     {plain(t, 800, 600, note, button), 1},
		"one has gone":   {plain(t, 800, 600), 1},
		"both":           {plain(t, 800, 600, button), 2},
		"near ones":      {plain(t, 800, 600, note, button, button.Add(image.Pt(90, 0))), 1},
		"it is longer":   {plain(t, 800, 700, note), 1},
		"it is narrower": {plain(t, 700, 600, note), 1},
	} {
		marked, places, err := Mark(before, c.after)
		require.NoError(t, err, name)
		require.Equal(t, c.places, places, name)
		for i, plainly := range [][]byte{before, c.after} {
			p, err := png.Decode(bytes.NewReader(marked[i].Content))
			require.NoError(t, err)
			size, err := png.DecodeConfig(bytes.NewReader(plainly))
			require.NoError(t, err)
			require.Equal(t, image.Pt(size.Width, size.Height), p.Bounds().Size(), name)
		}
	}
	marked, _, err := Mark(before, plain(t, 800, 600, note, button))
	require.NoError(t, err)
	p, err := png.Decode(bytes.NewReader(marked[1].Content))
	require.NoError(t, err)
	require.Equal(t, color.RGBA{A: 255}, color.RGBAModel.Convert(p.At(140, 115)),
		"what is in the box is seen")
	require.Equal(t, marker, color.RGBAModel.Convert(p.At(140, 93)), "the box is around it")
	require.Equal(t, color.RGBA{255, 255, 255, 255}, color.RGBAModel.Convert(p.At(510, 290)),
		"what is as before has none")

	fresh, places, err := Mark(nil, before)
	require.NoError(t, err)
	require.Zero(t, places)
	require.Empty(t, fresh[0].Content)
	require.NotEmpty(t, fresh[1].Content)
	_, _, err = Mark(before, []byte("no picture"))
	require.Error(t, err)
}

// TestPicturesOfNoise checks that there are few boxes and small files however much differs.
func TestPicturesOfNoise(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	noise := image.NewRGBA(image.Rect(0, 0, Width, 600))
	for i := range noise.Pix {
		noise.Pix[i] = byte(r.Uint32())
	}
	var dots []image.Rectangle
	for x := 0; x < Width; x += 64 {
		for y := 0; y < 600; y += 64 {
			dots = append(dots, image.Rect(x, y, x+2, y+2))
		}
	}
	_, places, err := Mark(plain(t, Width, 600), plain(t, Width, 600, dots...))
	require.NoError(t, err)
	require.LessOrEqual(t, places, most)
	require.Positive(t, places)
	marked, _, err := Mark(plain(t, Width, 600), pngOf(t, noise))
	require.NoError(t, err)
	require.Equal(t, "jpg", marked[1].Kind)
	require.LessOrEqual(t, len(marked[1].Content), mostBytes)
}
