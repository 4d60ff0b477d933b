package build

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
)

// LogTo returns a copy of the Checker that also writes each of its commands and what it printed to w, as
// people read it: without the frame of go test -json. An error of w ends no run.
func (c *Checker) LogTo(w io.Writer) *Checker {
	logging := *c
	logging.logTo = w
	return &logging
}

// writeLog writes a command and its whole output for LogTo.
func (c *Checker) writeLog(line, output string) {
	if c.logTo == nil {
		return
	}
	out := bufio.NewWriter(c.logTo)
	shown := project.Project{Test: strings.TrimPrefix(line, oneWorker)}.TestCommand()
	fmt.Fprintf(out, "$ %s\n", shown)
	for text := range strings.Lines(output) {
		var event struct{ Action, Output string }
		isEvent := strings.HasPrefix(text, `{"`) && json.Unmarshal([]byte(text), &event) == nil
		if isEvent && event.Action != "" {
			text = event.Output
		}
		out.WriteString(text)
	}
	if !strings.HasSuffix(output, "\n") {
		out.WriteString("\n")
	}
	_ = out.Flush()
}
