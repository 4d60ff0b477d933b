package delivery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
)

// pushReasons says why the approval does not suffice to push a change. A new reason is a new field here: a
// line in each of the methods below, and a field of workflow.Allowance.
type pushReasons struct {
	// what people have against it
	objections []workflow.Objection
	// changed expectations of tests, a line each
	expectations []string
	// why nothing can be proven of it
	unproven string
	// it is unproven since no test shows what was changed; the rest still passes
	alone bool
	// what it decides beside code, a line each
	paths []string
	// new tests show the change
	shown bool
	// what CI can prove instead, since it is unproven
	ci ciOffer
	// whose words count, and who has to allow it, too
	quorum ledger.Quorum
}

// maxMissing is how many characters are quoted of the output of a command that did not start.
const maxMissing = 300

// pushReasons returns the reasons why the change needs a separate permission.
func (d *Delivery) pushReasons(
	ctx context.Context, a *workflow.Approval, tree string, p proof.Proof, changes []diff.Change,
) (r pushReasons, err error) {
	r.paths = proposal.DecidingPaths(changes)
	r.shown = p.Demonstrated
	switch {
	case p.Alone != "":
		r.unproven = "only " + p.Alone + " were changed, which no test shows"
		r.alone = true
	case p.Outcome() == proof.NotStarted:
		r.unproven = plaintext.CutLine(plaintext.OneLine(d.SecretFinder().Mask(p.Missing)), maxMissing)
	}
	expected, err := d.Expectations(ctx, a, p)
	if err != nil {
		return r, err
	}
	r.expectations = expected.Open
	if r.objections, err = d.Store.Objections(ctx, a.ID, tree); err != nil {
		return r, err
	}
	if r.quorum, err = d.countWords(ctx, a, tree, changes); err != nil {
		return r, err
	}
	if q := r.quorum; q.Needed == 1 && len(q.By) == 0 && len(q.Missing) == 1 {
		// Whoever allows the rest is the one approver that is needed.
		if r.quorum.Missing = nil; r.none() {
			r.quorum.Missing = q.Missing
		}
	}
	if r.unproven != "" && !r.alone && len(r.objections) == 0 {
		r.ci = d.offerCI(tree, changes)
	}
	return r, nil
}

// countWords counts the words under which that tree may be pushed, and records those that stopped counting. A
// push of the tree that began before is repeated with the people who counted then.
func (d *Delivery) countWords(
	ctx context.Context, a *workflow.Approval, tree string, changes []diff.Change,
) (q ledger.Quorum, err error) {
	if begun, err := d.pushBegun(ctx, a, tree); err != nil || begun {
		return d.wordsBefore(ctx, a, tree, err)
	}
	var files []string
	for _, c := range changes {
		files = append(files, c.Path)
	}
	if q, err = d.Quorum(ctx, a, tree, files); err != nil || len(q.Ended) == 0 {
		return q, err
	}
	ended := q.Ended
	if len(q.Lost) > 0 {
		ended = append(ended, store.Lines(d.ProgramLine(strings.Join(q.Lost, " "))))
	}
	return q, d.Record(ctx, ended...)
}

// wordsBefore returns the words that count by their rows alone.
func (d *Delivery) wordsBefore(
	ctx context.Context, a *workflow.Approval, tree string, err error,
) (ledger.Quorum, error) {
	if err != nil {
		return ledger.Quorum{}, err
	}
	by, err := d.Store.Endorsements(ctx, d.Session().ID, a.Revision, "", workflow.TreeSubject(tree))
	if a.Permission == "" {
		by = append(by, a.Inherited())
	}
	return ledger.Quorum{Needed: a.Needed, By: distinct(by)}, err
}

// distinct returns the first word of each person.
func distinct(words []workflow.Endorsement) (first []workflow.Endorsement) {
	for _, e := range words {
		if !slices.ContainsFunc(first, func(x workflow.Endorsement) bool { return x.User == e.User }) {
			first = append(first, e)
		}
	}
	return first
}

func (p pushReasons) none() bool {
	return p.quorum.Complete() && len(p.objections) == 0 && len(p.expectations) == 0 &&
		p.unproven == "" && len(p.paths) == 0
}

// allowance returns the allowance for that tree that names the reasons.
func (p pushReasons) allowance(approval, tree string) workflow.Allowance {
	w := workflow.Allowance{
		Approval: approval, Tree: tree, Paths: strings.Join(p.paths, "\n"), Unproven: p.unproven,
		Expectations: strings.Join(p.expectations, "\n"), CI: p.ci.proof,
		Missing: strings.Join(p.quorum.Missing, "\n"), Files: p.quorum.Files,
	}
	for _, o := range p.objections {
		w.Objections = append(w.Objections, o.ID)
	}
	return w
}

// label returns the label of the button that allows the push, and the words that do.
func (p pushReasons) label() (label, words string) {
	switch {
	case len(p.objections) > 0:
		return "Push all the same", "push all the same"
	case p.unproven != "":
		return "Push it unproven", "push it unproven"
	}
	return "Push it", "push it"
}

// told says to the orchestrator, in a few words, why nothing was pushed.
func (p pushReasons) told() string {
	var told []string
	for _, o := range p.objections {
		told = append(told, "somebody objects ("+o.String()+")")
	}
	if len(p.expectations) > 0 {
		told = append(told, "expectations of tests changed")
	}
	if p.unproven != "" {
		told = append(told, "nothing can be proven here ("+p.unproven+")")
	}
	if !p.quorum.Complete() {
		told = append(told, "others have to approve it, too ("+strings.Join(p.quorum.Missing, "; ")+")")
	}
	if len(told) == 0 {
		return "the change affects more than the code"
	}
	return strings.Join(told, ", ")
}

// blocks returns what the question says of each reason, in the order in which they matter. Each begins like
// the second half of a sentence and has no newline at its end.
func (p pushReasons) blocks() (blocks []string) {
	list := func(what string, lines []string) {
		if len(lines) > 0 {
			blocks = append(blocks, what+":")
			for _, line := range lines {
				blocks[len(blocks)-1] += "\n" + item + plaintext.OneLine(line)
			}
		}
	}
	var objections []string
	for _, o := range p.objections {
		objections = append(objections, o.String())
	}
	list("somebody objected", objections)
	list("it changes what tests expect", p.expectations)
	switch {
	case p.alone:
		blocks = append(blocks, p.unproven+", and what passed before still passes.")
	case p.unproven != "":
		blocks = append(blocks, "nothing can be proven here: "+p.unproven+".")
	}
	list("it changes more than the code", p.paths)
	others := "others have to approve it, too"
	if names := p.quorum.Names(); len(names) > 0 {
		others += ", besides " + plaintext.And(names)
	}
	list(others, p.quorum.Missing)
	return blocks
}

// vouched returns the numbers of the lines of the question that the program vouches for: all but the items of
// lists, which may quote others.
func vouched(question string) (numbers []int) {
	for i, line := range strings.Split(question, "\n") {
		if line != "" && !strings.HasPrefix(line, item) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// item begins an item of a list.
const item = "  • "

// text returns the question whether the files of that tree may be pushed.
func (p pushReasons) text(tree string) string {
	blocks := p.blocks()
	ready := "The work is ready"
	if p.shown && p.unproven == "" {
		ready += " and proven"
	}
	unprovenFirst := len(p.objections) == 0 && len(p.expectations) == 0 && p.unproven != ""
	switch {
	case unprovenFirst && p.alone:
		ready += ": "
	case unprovenFirst:
		ready += ", but "
	default:
		ready += ", but pushing it needs a separate permission, because "
	}
	ready += blocks[0]
	for _, more := range blocks[1:] {
		ready += "\n" + plaintext.Capitalize(more)
	}
	_, words := p.label()
	cure := fmt.Sprintf("Reply %q to allow exactly these files (tree %s), or say what to leave out.",
		words, prompt.ShortHash(tree))
	if unprovenFirst {
		cure = fmt.Sprintf("Reply %q to have exactly these files as they are (tree %s).", words,
			prompt.ShortHash(tree))
		if !p.alone {
			cure = "When that is fixed, write \"go on\"; or r" + cure[1:]
		}
	}
	if p.ci.proof != workflow.CINone {
		cure += "\n" + p.ci.text()
	}
	return ready + "\nNothing was pushed. " + cure
}
