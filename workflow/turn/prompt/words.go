package prompt

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// CodeSpan is a command as people write it: the program counts tests by -json, nobody reads that.
func CodeSpan(command string) string {
	return strings.Replace(command, "go test -json ", "go test ", 1)
}

func OrNone(s string) string {
	if s == "" {
		return "none found"
	}
	return "`" + s + "`"
}

// ReadSome reads the beginning of a plain file; a link is none.
func ReadSome(tree fs.FS, name string, most int64) ([]byte, error) {
	name = path.Clean(name)
	if info, err := fs.Lstat(tree, name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	f, err := tree.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// HaltedRefusal refuse what would go on with stopped work.
const HaltedRefusal = "Refused: somebody stopped this work, and nobody who may approve has said \"go on\" since. Answer what was written, say that \"go on\" is waited for, and wait."

func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Quote are somebody's own words, as a quote.
func Quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}

// EnteredText gives the words of a form back that came to nothing, so that they are not lost.
func EnteredText(m workflow.Message) string {
	if m.Kind != workflow.IncomingForm {
		return ""
	}
	return " What you entered was:\n" + Quote(m.Text)
}

// Shortened is somebody's words in one line, in quotation marks.
func Shortened(text string, most int) string {
	return `"` + plaintext.CutLine(plaintext.OneLine(text), most) + `"`
}

// Duration is a duration as people say it.
func Duration(d time.Duration) string {
	switch {
	case d >= 2*time.Hour && d%time.Hour == 0:
		return Count(int(d/time.Hour), "hour")
	case d >= time.Minute && d%time.Minute == 0:
		return Count(int(d/time.Minute), "minute")
	}
	return d.String()
}

func Wrong(format string, args ...any) model.Result {
	return model.Result{Wrong: true, Text: fmt.Sprintf(format, args...)}
}

func ShortHash(commit string) string {
	if len(commit) > 7 {
		return commit[:7]
	}
	return commit
}

func DerefResult(r *model.Result) model.Result {
	if r == nil {
		return model.Result{}
	}
	return *r
}

func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return plaintext.CutLine(line, 200)
}

// Brief is a text in one line that is not too long.
func Brief(s string) string {
	return plaintext.CutLine(plaintext.OneLine(s), 120)
}

// Tail is the end of a text, from the beginning of a line.
func Tail(s string, most int) string {
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	s = strings.ToValidUTF8(s[len(s)-most:], "")
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		s = rest
	}
	return "…\n" + s
}
