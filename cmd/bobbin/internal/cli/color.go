package cli

import (
	"bytes"
	"io"
	"os"
)

// A Color is how a line is shown on a terminal; the zero value leaves it plain.
type Color string

// The colors.
const (
	Plain  Color = ""
	Bold   Color = "1"
	Faint  Color = "2"
	Red    Color = "31"
	Green  Color = "32"
	Yellow Color = "33"
	Cyan   Color = "36"
)

// IsColored reports whether what is written to a file may have colors: it is a terminal that is not dumb, and
// NO_COLOR is not set.
func IsColored(f *os.File, env func(string) string) bool {
	at, err := f.Stat()
	return err == nil && at.Mode()&os.ModeCharDevice != 0 && env("TERM") != "dumb" && env("TERM") != "" &&
		env("NO_COLOR") == ""
}

// Painted returns Out for text of which each line has the color that of returns. If the console has no
// colors, it is Out itself.
func (c Console) Painted(of func(line string) Color) io.Writer {
	if !c.Colored {
		return c.Out
	}
	return &painter{w: c.Out, of: of}
}

// A painter writes whole lines with their colors.
type painter struct {
	w    io.Writer
	of   func(line string) Color
	rest []byte // of a line that has no end yet
}

func (p *painter) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for {
		line, rest, ended := bytes.Cut(p.rest, []byte("\n"))
		if !ended {
			return len(b), nil
		}
		text := string(line) + "\n"
		if color := p.of(string(line)); color != Plain {
			text = "\x1b[" + string(color) + "m" + string(line) + "\x1b[0m\n"
		}
		p.rest = rest
		if _, err := io.WriteString(p.w, text); err != nil {
			return 0, err
		}
	}
}
