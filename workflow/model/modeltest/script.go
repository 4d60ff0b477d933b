package modeltest

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A Script is a parsed script; see the package comment for its form.
type Script struct {
	name     string
	parts    []*part
	captured map[string]bool // names that some line captures
}

// load reads a script from a file.
func load(file string) (*Script, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	return Parse(filepath.Base(file), string(text))
}

// Models returns the models that the script answers for, in the order of their parts.
func (s *Script) Models() []string {
	var models []string
	seen := map[string]bool{"*": true}
	for _, p := range s.parts {
		if !seen[p.model] {
			seen[p.model] = true
			models = append(models, p.model)
		}
	}
	return models
}

// A part holds the answers of one conversation, or of all conversations of a model.
type part struct {
	header  string
	model   string
	when    *expectation
	line    int
	reads   int // limit of a request in tokens; 0: no limit
	answers []*answer
}

// An answer is the script's answer to one request.
type answer struct {
	line     int
	expects  []expectation
	captures []capture
	say      []string
	calls    []call
	empty    bool

	finish     string
	usage      *usage
	fail       *httpFailure
	cutAfter   int // in characters; -1: the answer is not cut
	unfinished bool
	delay      time.Duration
	pace       time.Duration
	hang       bool
	point      string // name of a wait or a hang
	wait       bool
}

// answers reports whether the answer has anything to play.
func (a *answer) answers() bool {
	return len(a.say) > 0 || len(a.calls) > 0 || a.empty || a.fail != nil || a.hang
}

type call struct {
	line int
	name string
	// all arguments as JSON, checked
	json string
	// all arguments as text, unchecked
	raw *string
	// fields are the arguments one by one, in order.
	fields []field
}

type field struct {
	name  string
	value string
	json  bool // value is JSON, not text
}

type httpFailure struct {
	status     int
	retryAfter string
	text       string
}

type usage struct{ in, cached, out int }

type capture struct {
	line int
	name string
	from source
	re   string
}
