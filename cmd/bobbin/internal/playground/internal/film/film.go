// Package film makes small pictures of screenshots for the documentation: with at most 256 colours, and as a
// moving picture (APNG, https://www.w3.org/TR/png-3/#apng-frame-based-animation) that shows one after
// another. A program that knows no APNG shows the first. Only tests use it.
package film

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"slices"
	"time"
)

// A Frame is one picture of a moving picture. All pictures have the same size.
type Frame struct {
	Picture []byte // a PNG
	For     time.Duration
}

var encoder = png.Encoder{CompressionLevel: png.BestCompression}

// Reduce returns the picture, a PNG, with at most 256 colours.
func Reduce(picture []byte) ([]byte, error) {
	list, err := reduce([][]byte{picture})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = encoder.Encode(&out, list[0])
	return out.Bytes(), err
}

// Join returns the frames as a moving picture that repeats for ever.
func Join(frames []Frame) ([]byte, error) {
	if len(frames) == 0 {
		return nil, errors.New("film: there is no frame")
	}
	var pictures [][]byte
	for _, f := range frames {
		pictures = append(pictures, f.Picture)
	}
	list, err := reduce(pictures)
	if err != nil {
		return nil, err
	}
	w := &writer{}
	for i, p := range list {
		part := p.Bounds()
		if i > 0 {
			part = changed(list[i-1], p)
		}
		if err := w.frame(p, part, frames[i].For, len(list)); err != nil {
			return nil, err
		}
	}
	w.chunk("IEND", nil)
	return w.out.Bytes(), nil
}

// A writer writes the chunks of an APNG.
type writer struct {
	out      bytes.Buffer
	sequence uint32
}

func (w *writer) chunk(kind string, data []byte) {
	w.out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
	body := append([]byte(kind), data...)
	w.out.Write(body)
	w.out.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)))
}

func (w *writer) next() []byte {
	w.sequence++
	return binary.BigEndian.AppendUint32(nil, w.sequence-1)
}

// frame writes the part of a picture that differs from the one before. The first one is the whole picture,
// with the header of the file.
func (w *writer) frame(p *image.Paletted, part image.Rectangle, shown time.Duration, frames int) error {
	var one bytes.Buffer
	if err := encoder.Encode(&one, p.SubImage(part)); err != nil {
		return err
	}
	first := w.out.Len() == 0
	if first {
		w.out.WriteString("\x89PNG\r\n\x1a\n")
	}
	for rest := one.Bytes()[8:]; len(rest) >= 12; {
		size := binary.BigEndian.Uint32(rest)
		kind := string(rest[4:8])
		data := rest[8 : 8+size]
		rest = rest[12+size:]
		switch {
		case kind == "IDAT" && first:
			w.chunk(kind, data)
		case kind == "IDAT":
			w.chunk("fdAT", append(w.next(), data...))
		case kind == "IHDR" && first:
			w.chunk(kind, data)
			w.chunk("acTL", append(binary.BigEndian.AppendUint32(nil, uint32(frames)), 0, 0, 0, 0))
			w.control(part, shown)
		case kind == "IHDR":
			w.control(part, shown)
		case kind == "PLTE" && first:
			w.chunk(kind, data)
		}
	}
	return nil
}

// control writes where and for how long a frame is shown, over the one before.
func (w *writer) control(part image.Rectangle, shown time.Duration) {
	data := w.next()
	for _, n := range []int{part.Dx(), part.Dy(), part.Min.X, part.Min.Y} {
		data = binary.BigEndian.AppendUint32(data, uint32(n))
	}
	data = binary.BigEndian.AppendUint16(data, uint16(shown.Milliseconds()))
	data = binary.BigEndian.AppendUint16(data, 1000)
	w.chunk("fcTL", append(data, 0, 0))
}

// changed returns the smallest rectangle that holds all pixels that differ; at least one pixel.
func changed(a, b *image.Paletted) (r image.Rectangle) {
	bounds := b.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if a.ColorIndexAt(x, y) != b.ColorIndexAt(x, y) {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if r.Empty() {
		r = image.Rect(0, 0, 1, 1)
	}
	return r
}

// reduce decodes pictures of one size and gives them one palette of at most 256 colours that most pixels
// have. Every other colour becomes the nearest of them, and is near it.
func reduce(pictures [][]byte) (list []*image.Paletted, err error) {
	var decoded []image.Image
	count := map[color.RGBA]int{}
	for _, raw := range pictures {
		p, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			return nil, err
		}
		if len(decoded) > 0 && p.Bounds() != decoded[0].Bounds() {
			return nil, errors.New("film: the pictures are not of one size")
		}
		decoded = append(decoded, p)
		eachPixel(p, func(_, _ int, c color.RGBA) { count[c]++ })
	}
	palette, index := choose(count)
	for _, p := range decoded {
		one := image.NewPaletted(p.Bounds(), palette)
		eachPixel(p, func(x, y int, c color.RGBA) { one.SetColorIndex(x, y, index[c]) })
		list = append(list, one)
	}
	return list, nil
}

func eachPixel(p image.Image, do func(x, y int, c color.RGBA)) {
	bounds := p.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c, _ := color.RGBAModel.Convert(p.At(x, y)).(color.RGBA)
			c.A = 255
			do(x, y, c)
		}
	}
}

// choose returns the palette, and the index in it of each colour.
func choose(count map[color.RGBA]int) (palette color.Palette, index map[color.RGBA]uint8) {
	var all []color.RGBA
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G),
			cmp.Compare(a.B, b.B))
	})
	for apart := 0; palette == nil; apart += 2 {
		palette = cover(all, apart)
	}
	index = map[color.RGBA]uint8{}
	for _, c := range all {
		index[c] = uint8(palette.Index(c)) //nolint:gosec // at most 255
	}
	return palette, index
}

// cover returns colours of which each of all is at most that far from one, in each channel, or nil if that
// takes more than 256.
func cover(all []color.RGBA, apart int) (palette color.Palette) {
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= uint8(apart) } //nolint:gosec // small
	for _, c := range all {
		if slices.ContainsFunc(palette, func(p color.Color) bool {
			one, _ := p.(color.RGBA)
			return near(one.R, c.R) && near(one.G, c.G) && near(one.B, c.B)
		}) {
			continue
		}
		if len(palette) == 256 {
			return nil
		}
		palette = append(palette, c)
	}
	return palette
}
