package delivery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
)

// wording says how a push is worded outside of Slack.
type wording struct {
	title, summary string
	discretion     proposal.Discretion
	ask            string // why the thread is asked before it is pushed; empty: it is not
}

// chooseWords returns how the work is worded where it is pushed. Words of a private thread, or about a
// repository that is closed, go to a public repository only if a person allowed it. That answer holds for the
// words that were shown and, once they are pushed, for later pushes of the session. A push that began before
// is repeated as it was.
func (d *Delivery) chooseWords(
	ctx context.Context, work provenWork, f decision.Finish,
) (w wording, err error) {
	r := d.Catalog.Configured(d.Session().Repository)
	w.title = f.Title
	w.summary = f.Summary
	chosen, err := d.Store.ChosenDisclosure(ctx, d.Session().ID, r.Name)
	if err != nil {
		return w, err
	}
	choice := workflow.DisclosureOpen
	if chosen != nil {
		choice = chosen.Choice
	}
	if choice == workflow.DisclosureShown && chosen.Tree == work.tree {
		w.title = chosen.Title
		w.summary = chosen.Summary
	} else if first := d.Session().Head == ""; !work.begun && (choice == workflow.DisclosureOpen ||
		choice == workflow.DisclosureShown && first) {
		w.ask = d.Catalog.Exposure(ctx, r)
	}
	if w.discretion, err = d.Catalog.Discretion(ctx, r, choice); err != nil {
		return w, err
	}
	return w.held(work), nil
}

// held returns the words without what the push must not show.
func (w wording) held(work provenWork) wording {
	if w.discretion.Neutral {
		w.title = proposal.NeutralTitle(work.changes)
		w.summary = ""
	}
	w.title = w.discretion.WithoutPeople(w.title)
	w.summary = w.discretion.WithoutPeople(w.summary)
	return w
}

// trailers returns the trailers of the commit that name people, and why nothing was proven.
func (p provenWork) trailers(report workflow.Report) (list [][2]string) {
	if !p.words.discretion.Nameless() {
		list = proposal.Trailers(report.Credits, p.approvers(), p.reviewers())
	}
	switch {
	case p.unproven() == "":
	case p.words.discretion.Neutral:
		list = append(list, proposal.UnprovenTrailer("nothing could be proven where it was made"))
	default:
		list = append(list, proposal.UnprovenTrailer(p.words.discretion.WithoutPeople(p.trailer())))
	}
	return list
}

// publicProof returns what the program itself found out, for a pull request. Without the thread's words it
// has only the counts: commands and their output may hold them.
func (p provenWork) publicProof() []string {
	switch {
	case !p.words.discretion.Neutral:
		return p.seen()
	case p.unproven() != "":
		return []string{"Nothing could be proven where it was made."}
	}
	return []string{plaintext.OneLine(p.proof.Short())}
}

// askWords asks the thread before words are pushed that others could then read: see catalog.Exposure. The
// error is a prompt.Refusal then, which ends the turn. It shows what would be pushed.
func (d *Delivery) askWords(ctx context.Context, work provenWork) error {
	if work.words.ask == "" {
		return nil
	}
	r := d.Catalog.Configured(d.Session().Repository)
	shown, err := d.publicText(ctx, work, r)
	if err != nil {
		return err
	}
	neutral, err := d.neutralText(ctx, work)
	if err != nil {
		return err
	}
	text := d.wordsQuestion(ctx, work, shown, neutral)
	row := workflow.Disclosure{
		ID: store.NewToken(), Repository: r.Name, Tree: work.tree, Title: work.words.title,
		Summary: work.words.summary, Shown: text.String(),
	}
	button := func(action workflow.ActionID, label, means string) workflow.Button {
		return workflow.Button{ActionID: action, Label: label, Value: store.NewToken(), Means: means}
	}
	question := d.ProgramText(text, button(workflow.ButtonPushShown, "Push it so", row.ID),
		button(workflow.ButtonPushNeutral, "Push without the thread's words", row.ID),
		button(workflow.ButtonDetails, "Show the text", d.MaskShown(shown.whole(r.Pulls.Words()))),
		button(workflow.ButtonStop, "Stop", ""))
	question[0].Buttons[3].Style = "danger"
	if question[0].Mentions, err = d.Catalog.ToAskAgain(ctx, work.approval.User); err != nil {
		return err
	}
	failpoint.Crash("words_asked")
	return &prompt.Refusal{Result: ledger.WithParts(
		model.Result{
			Ends: true,
			Text: "Not pushed: others than those who may read this thread could read what is pushed, so " +
				"the thread was asked how the push is worded. Wait for it.",
		},
		consent.Disclosure(row),
		store.Replies(question),
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest})}
}

// A publicText is what a push shows outside of Slack.
type publicText struct {
	branch         string
	commit         string // the message, without trailers
	trailers       [][2]string
	heading, body  string // of the pull request; empty: none is opened
	people         []string
	linksTheThread bool
}

// whole returns all of it, for people to read.
func (t publicText) whole(words host.Terms) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Branch: %s\n\nCommit:\n%s\n", t.branch, t.commit)
	for _, trailer := range t.trailers {
		fmt.Fprintf(&b, "\n%s: %s", trailer[0], trailer[1])
	}
	if t.heading != "" {
		fmt.Fprintf(&b, "\n\n%s: %s\n\n%s", plaintext.Capitalize(words.Noun), t.heading, t.body)
	}
	if t.linksTheThread {
		b.WriteString("\n\n(and a link to this thread)")
	}
	return b.String()
}

// publicText returns what the push would show.
func (d *Delivery) publicText(
	ctx context.Context, work provenWork, r repository.Repository,
) (t publicText, err error) {
	spec, err := d.commitSpec(ctx, work)
	if err != nil {
		return t, err
	}
	t = publicText{branch: d.Session().Branch, commit: spec.Message, trailers: spec.Trailers}
	t.people = peopleNamed(spec)
	if r.Pulls.Host != nil {
		w, heading, err := d.pullText(ctx, work)
		if err != nil {
			return t, err
		}
		t.heading = heading
		t.body = w.Body()
		t.linksTheThread = !work.words.discretion.Nameless()
	}
	return t, nil
}

// neutralText returns what the push would show without the thread's words.
func (d *Delivery) neutralText(ctx context.Context, work provenWork) (t publicText, err error) {
	work.words.discretion.Neutral = true
	work.words = work.words.held(work)
	t.commit = work.words.title
	if work.merge != nil {
		t.commit = mergeTitle(*work.merge)
	}
	t.branch, err = d.Catalog.BranchWithoutWords(ctx)
	return t, err
}

// peopleNamed returns whom the trailers of a commit name.
func peopleNamed(spec git.CommitSpec) (people []string) {
	for _, t := range spec.Trailers {
		if strings.HasSuffix(t[0], "-by") && !slices.Contains(people, t[1]) {
			people = append(people, t[1])
		}
	}
	return people
}

// wordsQuestion returns the question. Its items quote what models and people wrote.
func (d *Delivery) wordsQuestion(
	ctx context.Context, work provenWork, shown, neutral publicText,
) (text workflow.Text) {
	show := func(what, value string) {
		if value = d.MaskShown(plaintext.OneLine(value)); value != "" {
			text.Add(item + what + ": " + value)
		}
	}
	quote := func(s string) string {
		return plaintext.QuoteLine(plaintext.CutLine(plaintext.OneLine(s), maxShownWords))
	}
	text.Vouch("Nothing was pushed. " + work.words.ask + ". Others would read:")
	show("branch", plaintext.CodeSpan(shown.branch))
	show("commit", quote(shown.commit))
	show("names", plaintext.FirstOf(shown.people, maxShownPeople))
	if shown.heading != "" {
		with := "the report and who approved it"
		if shown.linksTheThread {
			with = "the report, who approved it, and a link to this thread"
		}
		show(d.Trees.Current().Repository.Pulls.Words().Noun, quote(shown.heading)+", with "+with)
	}
	if found, err := d.findAddresses(ctx); err != nil {
		text.Vouch("I could not look for addresses in the files.")
	} else {
		show("in the files, either way", plaintext.FirstOf(found, maxShownPeople))
	}
	text.Vouch("Without the thread's words:")
	show("branch", plaintext.CodeSpan(neutral.branch))
	show("commit", quote(neutral.commit)+", without report, names, quotes and link")
	text.Vouch(`Reply "push it so" or "push it without the thread's words". The answer holds for later ` +
		"pushes from this thread, too.")
	return text
}

// maxShownWords is how many characters of a message the question shows.
const maxShownWords = 300

// maxShownPeople is how many people or addresses the question names.
const maxShownPeople = 5

// findAddresses returns where the change adds email addresses that may be somebody's.
func (d *Delivery) findAddresses(ctx context.Context) (found []string, err error) {
	hunks, err := d.Trees.Current().Work.ListHunks(ctx)
	for _, h := range hunks {
		text, _ := addedLines(h)
		for _, a := range proposal.Addresses(text) {
			found = append(found, a+" ("+plaintext.CodeSpan(plaintext.OneLine(h.Path))+")")
		}
	}
	return found, err
}
