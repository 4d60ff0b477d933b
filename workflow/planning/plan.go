// Package planning holds what was agreed on before the work begins: a Question that was put to the thread,
// the Request as the orchestrator restates it, and the Plan with its Tasks that waits for approval. A model
// fills in a Request or a Plan; Missing returns what is incomplete, and Text returns the text that people
// see.
package planning

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/expectation"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Plan describes the work before it begins, for people to correct and approve.
type Plan struct {
	Changed      string   `json:"changed,omitempty"`
	Title        string   `json:"title"`
	Summary      string   `json:"summary"`
	OutOfScope   []string `json:"out_of_scope,omitempty"`
	Tasks        []Task   `json:"tasks"`
	Risks        []string `json:"risks"`
	Verification string   `json:"verification"`

	ExpectedChanges []expectation.Change `json:"expected_changes,omitempty"`
}

// Asserted returns what the plan says of how things are, a part a line: neither its tasks nor its verification,
// which say how things shall be.
func (p Plan) Asserted() string {
	parts := append([]string{p.Changed, p.Title, p.Summary}, p.OutOfScope...)
	return strings.Join(append(parts, p.Risks...), "\n")
}

// A Task is one numbered task of a plan.
type Task struct {
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description"`
	Category    string   `json:"category"`
	Skill       string   `json:"skill,omitempty"`
	Files       []string `json:"files"`
	Acceptance  string   `json:"acceptance"`
	Check       string   `json:"check"`
	After       []int    `json:"after,omitempty"`
}

// maxTasks is the maximum number of tasks, which people can still review.
const maxTasks = 30

// Missing returns what is wrong or missing in the plan, or an empty string if it may be shown.
func (p Plan) Missing() string {
	switch {
	case plaintext.Blank(p.Title) || plaintext.Blank(p.Summary):
		return "a plan needs a title and a summary"
	case len(p.Tasks) == 0:
		return "a plan without tasks is none; list what has to be done, in order"
	case len(p.Tasks) > maxTasks:
		return fmt.Sprintf("%d tasks are more than anybody reviews; make it %d at most", len(p.Tasks), maxTasks)
	case plaintext.Blank(p.Verification):
		return "verification has to say of the whole, at the end"
	}
	for i, t := range p.Tasks {
		if plaintext.Blank(t.Description) || plaintext.Blank(t.Acceptance) || plaintext.Blank(t.Check) {
			return fmt.Sprintf("task %d needs a description, its acceptance and the command that checks it", i+1)
		}
		for _, n := range t.After {
			if n < 1 || n > i {
				return fmt.Sprintf("task %d says it comes after task %d; after names only earlier tasks", i+1, n)
			}
		}
	}
	return ""
}

// maxLine is the maximum length in characters of a task on one line.
const maxLine = 160

// Text returns the plan as a message: a checklist with a tick on the tasks whose numbers, from 1, are in
// verified.
func (p Plan) Text(verified ...int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Plan: %s\n%s\n", plaintext.OneLine(p.Title), strings.TrimSpace(p.Summary))
	if !plaintext.AllBlank(p.OutOfScope) {
		fmt.Fprintf(&b, "Out of scope: %s\n", plaintext.OneLine(strings.Join(p.OutOfScope, "; ")))
	}
	b.WriteString("Tasks:\n")
	for i, t := range p.Tasks {
		box := "[ ]"
		if slices.Contains(verified, i+1) {
			box = "[x]"
		}
		head := fmt.Sprintf("%s %s%s:", t.label(), strings.TrimRight(t.Heading(), "."), afterWords(t.After))
		shown := fmt.Sprintf("%s (`%s`)", plaintext.OneLine(t.Acceptance), strings.ReplaceAll(plaintext.OneLine(t.Check), "`", "'"))
		between := " "
		if utf8.RuneCountInString(head+shown) > maxLine {
			between = "\n     "
		}
		fmt.Fprintf(&b, "  %s %d. %s%s%s\n", box, i+1, head, between, shown)
	}
	for _, r := range p.Risks {
		fmt.Fprintf(&b, "Risk: %s\n", plaintext.OneLine(r))
	}
	if line := expectation.Line(p.ExpectedChanges); line != "" {
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "Verification: %s", plaintext.OneLine(p.Verification))
	return b.String()
}

// Markdown returns the plan as a Markdown file.
func (p Plan) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", plaintext.OneLine(p.Title), strings.TrimSpace(p.Summary))
	bullets(&b, "Out of scope", p.OutOfScope)
	b.WriteString("\n## Tasks\n")
	for i, t := range p.Tasks {
		fmt.Fprintf(&b, "\n- [ ] %d. %s %s%s\n", i+1, t.label(), plaintext.OneLine(t.Description), afterWords(t.After))
		if !plaintext.AllBlank(t.Files) {
			fmt.Fprintf(&b, "  - Files: `%s`\n", strings.Join(t.Files, "`, `"))
		}
		fmt.Fprintf(&b, "  - Acceptance: %s\n  - Check: `%s`\n", plaintext.OneLine(t.Acceptance), plaintext.OneLine(t.Check))
	}
	bullets(&b, "Risks", p.Risks)
	if line := expectation.Line(p.ExpectedChanges); line != "" {
		b.WriteString("\n" + line + "\n")
	}
	fmt.Fprintf(&b, "\n## Verification\n\n%s\n", strings.TrimSpace(p.Verification))
	return b.String()
}

// Heading returns the task in at most ten words: its title, or the beginning of its description.
func (t Task) Heading() string {
	const most = 10
	text := plaintext.OneLine(t.Title)
	if text == "" {
		text, _, _ = strings.Cut(strings.TrimSpace(t.Description), "\n")
	}
	words := strings.Fields(text)
	if len(words) <= most {
		return strings.Join(words, " ")
	}
	return strings.Join(words[:most], " ") + "…"
}

func (t Task) label() string {
	return workflow.Task{Category: workflow.Category(t.Category), Skill: t.Skill}.Label()
}

func afterWords(after []int) string {
	if len(after) == 0 {
		return ""
	}
	return " (after " + strings.Trim(strings.ReplaceAll(fmt.Sprint(after), " ", ", "), "[]") + ")"
}

func bullets(b *strings.Builder, title string, list []string) {
	if plaintext.AllBlank(list) {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, s := range list {
		fmt.Fprintf(b, "- %s\n", plaintext.OneLine(s))
	}
}
