package workflow

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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

	ExpectedChanges []ExpectedChange `json:"expected_changes,omitempty"`
}

// A Decided is a question of an interview with its answer.
type Decided struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Asserted returns what the request says about how things are, one part per line: everything except the
// done criteria, which say how things should be.
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
	fmt.Fprintf(&b, "**Surface area:** %s\n", plaintext.OneLine(r.SurfaceArea))
	if !plaintext.AllBlank(r.Constraints) {
		fmt.Fprintf(&b, "**Constraints:** %s\n", plaintext.OneLine(strings.Join(r.Constraints, "; ")))
	}
	b.WriteString("**Done when:** ")
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
		b.WriteString("\n**Decided:**" + plaintext.List(decided))
	}
	if line := ExpectedChangesLine(r.ExpectedChanges); line != "" {
		b.WriteString("\n" + BoldLabel(line))
	}
	return b.String()
}

// Missing returns what is missing in the request, or an empty string if it may be shown.
func (r Request) Missing() string {
	var m missing
	m.addIf(plaintext.Blank(r.SurfaceArea), "surface_area has to name the part of the project")
	m.addIf(plaintext.AllBlank(r.DoneCriteria),
		"done_criteria has to have at least one thing that can be checked")
	return m.String()
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

// A Question is a question that was put to the thread, with its options and the option that is taken if
// nobody answers.
type Question struct {
	ID          int64
	Session     string
	Text        string
	Options     []string
	Recommended string
	// the other undecided questions; their recommended answers hold if a person ends the interview
	Open []OpenDecision
	// time at which the recommended option is taken; zero: never
	Due time.Time
	// empty until the question is answered
	Answer string

	Number int // in its interview, from 1; 0: it is of none
	// AgainOf is the id of an earlier question that this one puts again, since somebody went back to it, and
	// Former the answer of that; 0: it puts none again.
	AgainOf int64
	Former  string
}

// PutAgain is the answer of a question that is put again below.
const PutAgain = "put again below"

// An OpenDecision is a question that was not put to the thread yet, with the recommended answer.
type OpenDecision struct {
	Question    string `json:"question"`
	Recommended string `json:"recommended"`
}

// Defaults returns a list of the answers that are taken if the interview ends here.
func (q Question) Defaults() string {
	lines := []string{fmt.Sprintf("%s → %s", plaintext.OneLine(q.Text), q.Default())}
	for _, d := range q.Open {
		lines = append(lines,
			fmt.Sprintf("%s → %s", plaintext.OneLine(d.Question), plaintext.OneLine(d.Recommended)))
	}
	return plaintext.List(lines)
}

// Default returns the answer that is taken if nobody gives another one.
func (q Question) Default() string {
	if q.AgainOf != 0 {
		return q.Former
	}
	return q.Recommended
}

// MostQuestions is the maximum number of questions in an interview: five to ten minutes of a person's time.
// A person may ask for as many again.
const MostQuestions = 12

// A Plan describes the work before it begins, for people to correct and approve.
type Plan struct {
	Changed      string        `json:"changed,omitempty"`
	Title        string        `json:"title"`
	Summary      string        `json:"summary"`
	OutOfScope   []string      `json:"out_of_scope,omitempty"`
	Tasks        []PlannedTask `json:"tasks"`
	Risks        []string      `json:"risks"`
	Verification string        `json:"verification"`

	ExpectedChanges []ExpectedChange `json:"expected_changes,omitempty"`
}

// Asserted returns what the plan says about how things are, one part per line: neither its tasks nor its
// verification, which say how things should be.
func (p Plan) Asserted() string {
	parts := append([]string{p.Changed, p.Title, p.Summary}, p.OutOfScope...)
	return strings.Join(append(parts, p.Risks...), "\n")
}

// A PlannedTask is one numbered task of a plan.
type PlannedTask struct {
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
	var m missing
	m.addIf(plaintext.Blank(p.Title) || plaintext.Blank(p.Summary), "a plan needs a title and a summary")
	m.addIf(len(p.Tasks) == 0, "a plan without tasks is none; list what has to be done, in order")
	m.addIf(len(p.Tasks) > maxTasks, "%d tasks are more than anybody reviews; make it %d at most",
		len(p.Tasks), maxTasks)
	m.addIf(plaintext.Blank(p.Verification), "verification has to say of the whole, at the end")
	for i, t := range p.Tasks {
		m.addIf(plaintext.Blank(t.Description) || plaintext.Blank(t.Acceptance) || plaintext.Blank(t.Check),
			"task %d needs a description, its acceptance and the command that checks it", i+1)
		for _, n := range t.After {
			m.addIf(n < 1 || n > i,
				"task %d says it comes after task %d; after names only earlier tasks", i+1, n)
		}
	}
	return m.String()
}

// maxLine is the maximum length in characters of a task on one line.
const maxLine = 160

// Text returns the plan as a message: a checklist with a tick on the tasks whose numbers, from 1, are in
// verified.
func (p Plan) Text(verified ...int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**Plan: %s**\n%s\n", withoutStars(p.Title), strings.TrimSpace(p.Summary))
	if !plaintext.AllBlank(p.OutOfScope) {
		fmt.Fprintf(&b, "**Out of scope:** %s\n", plaintext.OneLine(strings.Join(p.OutOfScope, "; ")))
	}
	b.WriteString("**Tasks:**\n")
	for i, t := range p.Tasks {
		box := "[ ]"
		if slices.Contains(verified, i+1) {
			box = "[x]"
		}
		head := fmt.Sprintf("%s %s%s:", t.label(), strings.TrimRight(t.Heading(), "."), afterWords(t.After))
		shown := fmt.Sprintf("%s (`%s`)", plaintext.OneLine(t.Acceptance),
			strings.ReplaceAll(plaintext.OneLine(t.Check), "`", "'"))
		between := " "
		if utf8.RuneCountInString(head+shown) > maxLine {
			between = "\n     "
		}
		fmt.Fprintf(&b, "  %s %d. %s%s%s\n", box, i+1, head, between, shown)
	}
	for _, r := range p.Risks {
		fmt.Fprintf(&b, "**Risk:** %s\n", plaintext.OneLine(r))
	}
	if line := ExpectedChangesLine(p.ExpectedChanges); line != "" {
		b.WriteString(BoldLabel(line) + "\n")
	}
	fmt.Fprintf(&b, "**Verification:** %s", plaintext.OneLine(p.Verification))
	return b.String()
}

// BoldLabel returns a paragraph with its label, up to the first colon, in bold, or nothing if it has none.
func BoldLabel(paragraph string) string {
	label, rest, found := strings.Cut(strings.TrimSpace(paragraph), ":")
	if !found {
		return ""
	}
	return "**" + label + ":**" + rest
}

// withoutStars returns a title as one line without marks of emphasis, which would end the bold around it.
func withoutStars(title string) string {
	return strings.TrimSpace(strings.ReplaceAll(plaintext.OneLine(title), "*", ""))
}

// Markdown returns the plan as a Markdown file.
func (p Plan) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", plaintext.OneLine(p.Title), strings.TrimSpace(p.Summary))
	bullets(&b, "Out of scope", p.OutOfScope)
	b.WriteString("\n## Tasks\n")
	for i, t := range p.Tasks {
		fmt.Fprintf(&b, "\n- [ ] %d. %s %s%s\n", i+1, t.label(), plaintext.OneLine(t.Description),
			afterWords(t.After))
		if !plaintext.AllBlank(t.Files) {
			fmt.Fprintf(&b, "  - Files: `%s`\n", strings.Join(t.Files, "`, `"))
		}
		fmt.Fprintf(&b, "  - Acceptance: %s\n  - Check: `%s`\n", plaintext.OneLine(t.Acceptance),
			plaintext.OneLine(t.Check))
	}
	bullets(&b, "Risks", p.Risks)
	if line := ExpectedChangesLine(p.ExpectedChanges); line != "" {
		b.WriteString("\n" + line + "\n")
	}
	fmt.Fprintf(&b, "\n## Verification\n\n%s\n", strings.TrimSpace(p.Verification))
	return b.String()
}

// Heading returns the task in at most ten words: its title, or the beginning of its description.
func (p PlannedTask) Heading() string {
	const most = 10
	text := plaintext.OneLine(p.Title)
	if text == "" {
		text, _, _ = strings.Cut(strings.TrimSpace(p.Description), "\n")
	}
	words := strings.Fields(text)
	if len(words) <= most {
		return strings.Join(words, " ")
	}
	return strings.Join(words[:most], " ") + "…"
}

func (p PlannedTask) label() string {
	return Task{Category: Category(p.Category), Skill: p.Skill}.Label()
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

// PlansOf returns the plans among the reports of a session, by their revisions.
func PlansOf(reports []Report) map[int]Plan {
	plans := map[int]Plan{}
	for _, r := range reports {
		var p Plan
		if r.Kind == ReportPlan && json.Unmarshal(r.Body, &p) == nil {
			plans[r.Revision] = p
		}
	}
	return plans
}

// DelegatedTasks returns the tasks of a session that were delegated for the plan of a revision, with their
// numbers in it: those of the revision itself, and those of another revision whose planned task the plan
// repeats word for word. So what was done stays done when people have another task of the plan changed.
// pushed holds the revisions whose changes were pushed: what was done for one of them, or before, is no part
// of later work, even if that repeats its words.
func DelegatedTasks(plans map[int]Plan, pushed []int, revision int, tasks []Task) (mine []Task) {
	for _, k := range tasks {
		other := plans[k.Revision]
		if k.Plan < 1 || k.Plan > len(other.Tasks) ||
			slices.ContainsFunc(pushed, func(p int) bool { return k.Revision <= p && p < revision }) {
			continue
		}
		if k.Revision != revision {
			k.Plan = 1 + slices.IndexFunc(plans[revision].Tasks, other.Tasks[k.Plan-1].isRepeatedBy)
		}
		if k.Plan > 0 {
			mine = append(mine, k)
		}
	}
	return mine
}

func (p PlannedTask) isRepeatedBy(later PlannedTask) bool {
	return plaintext.OneLine(p.Description) == plaintext.OneLine(later.Description) &&
		plaintext.OneLine(p.Acceptance) == plaintext.OneLine(later.Acceptance) &&
		plaintext.OneLine(p.Check) == plaintext.OneLine(later.Check)
}
