package planning

import (
	"fmt"
	"path"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/expectation"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Request is the request as the orchestrator understood it. It is shown to people before anything is
// built, and the result is compared with it at the end.
type Request struct {
	Changed      string    `json:"changed,omitempty"`
	SurfaceArea  string    `json:"surface_area" jsonschema:"the part affected, with its folders"`
	Constraints  []string  `json:"constraints,omitempty" jsonschema:"named, or set by the code"`
	DoneCriteria []string  `json:"done_criteria" jsonschema:"each can be checked"`
	Files        []string  `json:"files" jsonschema:"to change or add"`
	Decisions    []Decided `json:"decisions,omitempty"`
	Subsystem    bool      `json:"subsystem,omitempty"`

	ExpectedChanges []expectation.Change `json:"expected_changes,omitempty"`
}

// A Decided is a question of an interview with its answer.
type Decided struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Asserted returns what the request says of how things are, a part a line: all but the criteria, which say how
// things shall be.
func (r Request) Asserted() string {
	parts := append([]string{r.Changed, r.SurfaceArea}, r.Constraints...)
	for _, d := range r.Decisions {
		parts = append(parts, d.Question, d.Answer)
	}
	return strings.Join(parts, "\n")
}

// Text returns the request as text, one line per part.
func (r Request) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Surface area: %s\n", plaintext.OneLine(r.SurfaceArea))
	if !plaintext.AllBlank(r.Constraints) {
		fmt.Fprintf(&b, "Constraints: %s\n", plaintext.OneLine(strings.Join(r.Constraints, "; ")))
	}
	b.WriteString("Done when: ")
	for i, c := range r.DoneCriteria {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "(%d) %s", i+1, plaintext.OneLine(c))
	}
	var decided []string
	for _, d := range r.Decisions {
		decided = append(decided, plaintext.OneLine(d.Question)+" → "+plaintext.OneLine(d.Answer))
	}
	if len(decided) > 0 {
		b.WriteString("\nDecided:" + plaintext.List(decided))
	}
	if line := expectation.Line(r.ExpectedChanges); line != "" {
		b.WriteString("\n" + line)
	}
	return b.String()
}

// Missing returns what is missing in the request, or an empty string if it may be shown.
func (r Request) Missing() string {
	switch {
	case plaintext.Blank(r.SurfaceArea):
		return "surface_area has to name the part of the project"
	case plaintext.AllBlank(r.DoneCriteria):
		return "done_criteria has to have at least one thing that can be checked"
	}
	return ""
}

// maxFiles and maxFolders are the numbers of files and folders from which on a feature is too large to be
// built without a written plan.
const maxFiles, maxFolders = 5, 2

// Large reports whether the work should be planned in writing first.
func (r Request) Large() bool {
	folders := map[string]bool{}
	for _, f := range r.Files {
		folders[path.Dir(f)] = true
	}
	return r.Subsystem || len(r.Files) >= maxFiles && len(folders) >= maxFolders
}
