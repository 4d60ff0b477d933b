package screenshot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"

	scaled "golang.org/x/image/draw"
)

const (
	// mostBytes is the largest size of a picture for people, in bytes.
	mostBytes = 1 << 20

	cell    = 8  // pixels; the size of the squares that are compared
	near    = 3  // cells; changes no further apart are one place
	most    = 40 // the most places; if there are more, places further apart are joined
	line    = 2  // the thickness of a box, in pixels
	margin  = 2  // pixels between a box and the place in it
	visible = 6  // the largest difference of a channel (0 to 255) that still counts as equal
)

var marker = color.RGBA{R: 0xe0, G: 0x1e, B: 0x8c, A: 0xff}

// A Picture is a picture for people.
type Picture struct {
	Content []byte
	Kind    string // png, or jpg if a png would be too large
}

// Mark compares two pictures and draws boxes in both around the places that look different. It returns the
// number of places. If before is nil, it draws no boxes and returns 0, as for two equal pictures.
func Mark(before, after []byte) (marked [2]Picture, places int, err error) {
	now, err := png.Decode(bytes.NewReader(after))
	if err != nil {
		return marked, 0, fmt.Errorf("picture: %w", err)
	}
	if before == nil {
		marked[1], err = encode(now)
		return marked, 0, err
	}
	was, err := png.Decode(bytes.NewReader(before))
	if err != nil {
		return marked, 0, fmt.Errorf("picture: %w", err)
	}
	boxes := different(canvas(was), canvas(now))
	for i, p := range []image.Image{was, now} {
		if marked[i], err = encode(boxed(p, boxes)); err != nil {
			return marked, 0, err
		}
	}
	return marked, len(boxes), nil
}

// canvas returns a copy of a picture whose pixels can be compared.
func canvas(p image.Image) *image.RGBA {
	c := image.NewRGBA(image.Rect(0, 0, p.Bounds().Dx(), p.Bounds().Dy()))
	draw.Draw(c, c.Bounds(), p, p.Bounds().Min, draw.Src)
	return c
}

// different returns the places where two pictures look different. An area that only one picture has counts
// as different.
func different(a, b *image.RGBA) (boxes []image.Rectangle) {
	whole := a.Bounds().Union(b.Bounds())
	wide := (whole.Dx() + cell - 1) / cell
	high := (whole.Dy() + cell - 1) / cell
	changed := make([]bool, wide*high)
	any := false
	for i := range changed {
		x := i % wide * cell
		y := i / wide * cell
		if differs(a, b, image.Rect(x, y, x+cell, y+cell).Intersect(whole)) {
			changed[i], any = true, true
		}
	}
	if !any {
		return nil
	}
	for gap := near; ; gap *= 2 {
		if boxes = group(changed, wide, gap); len(boxes) <= most {
			return boxes
		}
	}
}

// differs reports whether two pictures differ within r.
func differs(a, b *image.RGBA, r image.Rectangle) bool {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			at := image.Pt(x, y)
			if at.In(a.Bounds()) != at.In(b.Bounds()) {
				return true
			}
			p := a.Pix[a.PixOffset(x, y):][:3]
			q := b.Pix[b.PixOffset(x, y):][:3]
			for i := range p {
				if p[i] > q[i]+min(visible, 255-q[i]) || q[i] > p[i]+min(visible, 255-p[i]) {
					return true
				}
			}
		}
	}
	return false
}

// group joins changed cells that are no further apart than gap, and returns the box of each group in
// pixels.
func group(changed []bool, wide, gap int) (boxes []image.Rectangle) {
	left := append([]bool{}, changed...)
	for first, is := range left {
		if !is {
			continue
		}
		box := image.Rectangle{}
		left[first] = false
		for open := []int{first}; len(open) > 0; {
			at := open[len(open)-1]
			open = open[:len(open)-1]
			x := at % wide
			y := at / wide
			box = box.Union(image.Rect(x, y, x+1, y+1))
			for ny := max(y-gap, 0); ny <= y+gap && ny*wide < len(left); ny++ {
				for nx := max(x-gap, 0); nx <= min(x+gap, wide-1); nx++ {
					if n := ny*wide + nx; left[n] {
						left[n] = false
						open = append(open, n)
					}
				}
			}
		}
		boxes = append(boxes, image.Rect(box.Min.X*cell, box.Min.Y*cell, box.Max.X*cell, box.Max.Y*cell))
	}
	return boxes
}

// boxed returns a copy of a picture with boxes drawn around the places.
func boxed(p image.Image, places []image.Rectangle) image.Image {
	c := canvas(p)
	for _, r := range places {
		outer := r.Inset(-margin - line).Intersect(c.Bounds())
		inner := outer.Inset(line)
		for _, side := range []image.Rectangle{
			{outer.Min, image.Pt(outer.Max.X, inner.Min.Y)},
			{image.Pt(outer.Min.X, inner.Max.Y), outer.Max},
			{outer.Min, image.Pt(inner.Min.X, outer.Max.Y)},
			{image.Pt(inner.Max.X, outer.Min.Y), outer.Max},
		} {
			draw.Draw(c, side.Intersect(c.Bounds()), image.NewUniform(marker), image.Point{}, draw.Src)
		}
	}
	return c
}

// encode encodes a picture for people: as PNG, or as a JPEG, scaled down as needed, if that is larger than
// mostBytes.
func encode(p image.Image) (Picture, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		return Picture{}, err
	}
	if b.Len() <= mostBytes {
		return Picture{b.Bytes(), "png"}, nil
	}
	for {
		b.Reset()
		if err := jpeg.Encode(&b, p, &jpeg.Options{Quality: 85}); err != nil {
			return Picture{}, err
		}
		if b.Len() <= mostBytes {
			return Picture{b.Bytes(), "jpg"}, nil
		}
		smaller := image.NewRGBA(image.Rect(0, 0, p.Bounds().Dx()*3/4, p.Bounds().Dy()*3/4))
		scaled.ApproxBiLinear.Scale(smaller, smaller.Bounds(), p, p.Bounds(), draw.Src, nil)
		p = smaller
	}
}
