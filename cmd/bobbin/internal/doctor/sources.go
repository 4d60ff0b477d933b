package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/source"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// How many tools that the configuration does not name are listed, and with how many characters.
const (
	maxOthers     = 30
	maxOthersText = 1000
)

// examineSource asks an MCP server for its tools. None is called.
func (d *Doctor) examineSource(ctx context.Context, c source.Config, f *List) {
	began := time.Now()
	catalogue, err := source.New(c, d.log).Read(ctx)
	var wrong *source.Error
	switch {
	case errors.As(err, &wrong):
		f.problem("it "+wrong.Reason, wrong.Cure)
		return
	case err != nil:
		f.failed("it cannot be asked", err)
		return
	}
	var names []string
	for _, t := range catalogue.Tools {
		names = append(names, t.Name)
	}
	if len(names) > 0 {
		f.ok("%s answers; of its %s may be called: %s (%s)", catalogue.Server,
			plaintext.CountNoun(catalogue.Offered, "tool"), strings.Join(names, ", "),
			time.Since(began).Round(time.Millisecond))
	}
	for _, r := range catalogue.Refused {
		f.problem(r.Tool+" is not called: "+r.Reason, r.Cure)
	}
	if others := catalogue.Others; len(others) > 0 {
		listed := plaintext.SafeLine(strings.Join(others[:min(len(others), maxOthers)], ", "), maxOthersText)
		if more := len(others) - maxOthers; more > 0 {
			listed += fmt.Sprintf(" and %d more", more)
		}
		f.note("it offers, besides those under tools: "+listed, "")
	}
}
