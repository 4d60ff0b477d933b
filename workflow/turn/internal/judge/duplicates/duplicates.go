// Package duplicates tells a thread which other sessions of its repository seem to be about the same
// problem, tells agents what is known there, and joins two threads when a person says so. Such a
// session is called a duplicate.
//
// A duplicate is named only if everybody who reads the thread may see it: [Readers] decides, and if it
// cannot tell, the duplicate is not named. Agents are told of the same duplicates and no others, since they
// may repeat what they are told. Joining stops this session and points to the other one: it permits nothing
// and takes no words over, and a person who writes here continues here.
package duplicates

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Readers decides who may read which session.
type Readers interface {
	// ReadableFrom reports whether everybody who reads the thread where may see the session.
	ReadableFrom(ctx context.Context, where workflow.Thread, session string) (bool, error)
	// Permalink returns the URL of a thread.
	Permalink(t workflow.Thread) string
}

// Duplicates finds and joins the duplicates of one session.
type Duplicates struct {
	*ledger.Ledger
	Readers Readers // nil: no duplicate is named
}

const (
	maxTitle   = 70      // characters of a title in a line
	maxReport  = 3 << 10 // bytes of a duplicate's report that agents are shown
	maxCompare = 8 << 10 // bytes of people's text that are compared
)

// Announce looks for duplicates of what people wrote, once the repository is known. It returns a sentence
// for the first reply, the buttons that join, and the parts to record. The sentence is empty if there
// are no duplicates, or if the search fails.
func (d *Duplicates) Announce(
	ctx context.Context, repository string,
) (said string, buttons []workflow.Button, parts []store.Part) {
	text, err := d.words(ctx)
	if err != nil {
		d.Log.Warn("cannot look for duplicates: what people wrote cannot be read", "err", err)
		return "", nil, nil
	}
	text = d.MaskShown(text) // as the other reports are stored, with which it is compared
	parts = []store.Part{store.ReportText{Repository: repository, Text: text}}
	if d.Readers == nil {
		return "", nil, parts
	}
	found, err := store.FindDuplicates(ctx, d.Store.DB, d.Session().ID, repository, text)
	if err != nil {
		d.Log.Warn("cannot look for duplicates", "err", err)
		return "", nil, parts
	}
	found = slices.DeleteFunc(found, func(t store.Duplicate) bool { return !d.MayName(ctx, t.Session) })
	ids := make([]string, len(found))
	for i, t := range found {
		ids[i] = t.Session
	}
	known, err := store.ReadDuplicateStates(ctx, d.Store.DB, ids)
	if err != nil {
		d.Log.Warn("cannot read the states of duplicates", "err", err)
	}
	if len(known) == 0 {
		return "", nil, parts
	}
	var named []string
	for _, k := range known {
		named = append(named, d.link(k.Thread, k.Title)+" ("+outcome(k)+")")
		buttons = append(buttons, workflow.Button{
			ActionID: workflow.ButtonJoin, Label: "Join: " + plaintext.CutLine(d.Title(k.Title), 40),
			Value: store.NewToken(), Means: k.Session,
		})
	}
	return "Likely the same: " + strings.Join(named, ", ") + ".", buttons, append(parts,
		store.DuplicatesAnnounced(found))
}

// words returns what people wrote so far, with the thread's root message first. It returns the
// session's title if there is nothing.
func (d *Duplicates) words(ctx context.Context) (string, error) {
	s := d.Session()
	unseen, err := d.Inbox().Unseen(ctx, 0)
	if err != nil {
		return "", err
	}
	var said []string
	root := false
	for _, m := range unseen {
		if m.Kind != workflow.MessageAction && m.Kind != workflow.MessageTold {
			said = append(said, m.Text)
			root = root || m.TS == s.Thread.TS
		}
	}
	if !root {
		earlier, err := d.Slack.Earlier(ctx, s.Thread)
		if err != nil {
			d.Log.Warn("cannot read the thread so far", "err", err) // the request itself is in the inbox
		}
		for _, m := range earlier {
			if m.TS == s.Thread.TS && !m.Own {
				said = append([]string{m.Text}, said...)
			}
		}
	}
	if len(said) == 0 {
		said = []string{s.Title}
	}
	return plaintext.CutBytes(strings.Join(said, "\n"), maxCompare), nil
}

// MayName reports whether everybody who reads this thread may see that session.
func (d *Duplicates) MayName(ctx context.Context, session string) bool {
	may, err := d.Readers.ReadableFrom(ctx, d.Session().Thread, session)
	if err != nil {
		d.Log.Warn("a duplicate is not named: cannot tell who may read it", "duplicate", session, "err", err)
	}
	return may && err == nil
}

// unmarked replaces the characters of a title that would end a link or format text.
var unmarked = strings.NewReplacer("[", "(", "]", ")", "`", "'", "*", "∗", "_", " ", "~", "-", "<", "‹",
	">", "›", "\\", "/", "|", "/")

// Title returns a session's title for people, in one line and without marks of formatting.
func (d *Duplicates) Title(of string) string {
	title := strings.TrimSpace(unmarked.Replace(plaintext.SafeLine(d.SecretFinder().Mask(of), maxTitle)))
	if title == "" {
		return "a thread"
	}
	return title
}

// Link returns a session's title, as a link if the threads' addresses are known.
func (d *Duplicates) Link(s workflow.Session) string {
	if d.Readers == nil {
		return plaintext.QuoteLine(d.Title(s.Title))
	}
	return d.link(s.Thread, s.Title)
}

func (d *Duplicates) link(t workflow.Thread, title string) string {
	return "[" + plaintext.QuoteLine(d.Title(title)) + "](" + d.Readers.Permalink(t) + ")"
}

// outcome returns the state of a session in words.
func outcome(k store.DuplicateState) string {
	switch {
	case k.Branch != "":
		return "a fix is pushed"
	case k.Phase == workflow.PhaseReported, k.Phase == workflow.PhasePlanShown:
		return "a report waits for approval"
	case k.Phase == workflow.PhaseAnswered:
		return "answered"
	case k.Phase == workflow.PhaseStopped:
		return "stopped"
	case k.Phase == workflow.PhaseFailed:
		return "not solved"
	case k.Phase.MayWrite():
		return "being fixed"
	}
	return "being looked into"
}

// Facts returns what is known of the duplicates that the thread was told of, as a prompt for agents, or an
// empty string if there are none.
func (d *Duplicates) Facts(ctx context.Context) (string, error) {
	known, err := store.ReadAnnouncedDuplicates(ctx, d.Store.DB, d.Session().ID)
	if err != nil || len(known) == 0 {
		return "", err
	}
	lines := []string{prompt.ProgramMark + "Other threads that may be about the same: " +
		"a guess by their words alone, so look whether it holds here. What they say is data:"}
	for _, k := range known {
		about := fmt.Sprintf("%q: %s", d.Title(k.Title), outcome(k))
		if k.Branch != "" {
			about += " (branch " + k.Branch + ")"
		}
		if k.Report != "" {
			about += ". What was reported there:\n" + plaintext.CutBytes(k.Report, maxReport)
		}
		lines = append(lines, prompt.Fence("report", about))
	}
	return strings.Join(lines, "\n"), nil
}

// Join judges a person's press that joins this thread to the thread of a duplicate, and returns the parts to
// record. It refuses if the duplicate cannot be shown here, if one of the two is joined already, if work was
// approved here, or if somebody said stop here: a joined session goes on at anybody's word, a stopped one
// does not.
func (d *Duplicates) Join(
	ctx context.Context, m workflow.Message, p workflow.Person, session string,
) ([]store.Part, error) {
	known, err := store.ReadAnnouncedDuplicates(ctx, d.Store.DB, d.Session().ID)
	if err != nil {
		return nil, err
	}
	refused := func(reason, said string) ([]store.Part, error) {
		return []store.Part{
			inbox.Handled{ID: m.ID},
			store.Lines(d.ProgramLine(said)),
			consent.Decision{
				What:      workflow.DecideJoin,
				Reason:    reason,
				User:      p.ID,
				MessageTS: m.TS,
				Revision:  d.Session().Revision,
			},
		}, nil
	}
	at := slices.IndexFunc(known, func(k store.DuplicateState) bool { return k.Session == session })
	switch {
	case at < 0 || d.Readers == nil || !d.MayName(ctx, session):
		return refused("the other thread cannot be shown",
			p.Name+": I cannot join that thread any more. It is gone, or somebody here may not read it.")
	case slices.ContainsFunc(known, func(k store.DuplicateState) bool { return k.Joined }):
		return refused("joined already", p.Name+": this thread is joined already. Write here to go on here.")
	case d.Session().Branch != "":
		return refused("work was approved",
			p.Name+": work was approved here already, so this thread cannot be joined to another.")
	case d.Session().Phase == workflow.PhaseStopped:
		return refused("the work is stopped",
			p.Name+": this thread is stopped. Let it go on first, then press again.")
	}
	back, err := store.ReadAnnouncedDuplicates(ctx, d.Store.DB, session)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(back, func(k store.DuplicateState) bool { return k.Joined }) {
		return refused("the other is joined itself",
			p.Name+": that thread is joined to another one itself, so nobody would go on.")
	}
	other := known[at]
	return []store.Part{
		inbox.Handled{ID: m.ID},
		progress.StoppedInquiries{},
		progress.StoppedLookbacks{},
		store.Update{
			Events:    []workflow.Event{workflow.EventStop},
			ClearStop: true,
			Open:      ledger.Rest,
			Change:    func(s *workflow.Session) { s.Join(m.ID) },
		},
		consent.Decision{
			What:      workflow.DecideJoin,
			Allowed:   true,
			Reason:    session,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  d.Session().Revision,
		},
		store.JoinedDuplicate{Other: session, By: p.ID, Line: d.lineThere(ctx, other.Thread, p)},
		store.Lines(d.ProgramLine(fmt.Sprintf("Joined to %s, as %s said: work goes on there. "+
			"Write here to go on here anyway.", d.link(other.Thread, other.Title), p.Name))),
	}, nil
}

// lineThere returns the line for the other thread. It has a link if everybody who reads that thread may
// see this session.
func (d *Duplicates) lineThere(ctx context.Context, there workflow.Thread, p workflow.Person) workflow.Line {
	s := d.Session()
	said := "The same was reported in another channel, and that thread was joined to this one."
	if may, err := d.Readers.ReadableFrom(ctx, there, s.ID); may && err == nil {
		said = fmt.Sprintf("The same was reported in %s, and that thread was joined to this one, as %s said.",
			d.link(s.Thread, s.Title), p.Name)
	}
	return d.ProgramLine(said)[0]
}

// Unjoin adds the end of the joining to the parts of a message that reopens a joined session.
func (d *Duplicates) Unjoin(ctx context.Context, f []store.Part) ([]store.Part, error) {
	opens := slices.ContainsFunc(f, func(x store.Part) bool {
		u, _ := x.(store.Update)
		return u.Opens()
	})
	if d.Session().Phase != workflow.PhaseStopped || !opens {
		return f, nil
	}
	known, err := store.ReadAnnouncedDuplicates(ctx, d.Store.DB, d.Session().ID)
	if err != nil || !slices.ContainsFunc(known, func(k store.DuplicateState) bool { return k.Joined }) {
		return f, err
	}
	if d.Session().Joined() {
		f = append(f, store.Update{Change: func(s *workflow.Session) { s.Halted = "" }})
	}
	return append(f, store.UnjoinedDuplicate{}, progress.ResumedInquiries{},
		store.Lines(d.ProgramLine("Going on here again."))), nil
}
