package config

import (
	"errors"
	"fmt"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/workflow/intent"
)

// Words are phrases that a team adds to the built-in lists by which messages are read.
type Words struct {
	// stop running work; default: none are added
	Stop []string `yaml:"stop"`
	// object to approved work, so that its push waits; default: none are added
	Hold []string `yaml:"hold"`
	// approve a report, as the whole message; default: none are added
	Approve []string `yaml:"approve"`
	// let stopped work go on, as the whole message; default: none are added
	GoOn []string `yaml:"go_on"`
	// refuse, as the whole message; default: none are added
	No []string `yaml:"no"`
}

// Lexicon returns the lists by which messages are read: the built-in ones and those of the file.
func (w Words) Lexicon() (intent.Lexicon, error) {
	return intent.NewLexicon(map[string][]string{
		"stop": w.Stop, "hold": w.Hold, "approve": w.Approve, "go_on": w.GoOn, "no": w.No,
	})
}

// check adds a problem for each phrase that cannot be added.
func (w Words) check(p *strictyaml.Problems) {
	_, err := w.Lexicon()
	var faults intent.PhraseFaults
	if !errors.As(err, &faults) {
		return
	}
	for _, f := range faults {
		at := fmt.Sprintf("$.words.%s[%d]", f.List, f.Index)
		p.At(at, "%s", f.Error())
	}
}
