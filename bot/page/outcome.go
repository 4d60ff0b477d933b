package page

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/home"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// An outcome is what came of a session: what its page shows first.
type outcome struct {
	Headline  string
	Tone      string        // good, bad, wait or work: how the headline is marked
	Words     template.HTML // what an agent says of it, or the newest line of the thread
	Facts     []fact
	Pushed    *push // the newest push that went out; nil: none did
	Pulls     []pull
	Approvals []approval
	Objected  []objection
	Spent     string // "$0.31 · 4 min at work"
	Thread    string // address of the thread; empty: it is not known
	Parts     []repositoryPart
}

// A fact is one thing that the program found out about a change that was pushed.
type fact struct {
	Kind string // holds, fails or beside: it is to be known, too
	Text template.HTML
}

// A pull is a pull request of the session. URL is empty while the host has none.
type pull struct{ Name, URL, Title, State string }

// An approval is the word of one person.
type approval struct {
	By       person
	Revision int    // 0: it is for the files of a push
	Limits   string // what it is limited to; empty: nothing
	At       time.Time
}

type objection struct {
	By    person
	Words string
}

// A person is shown by a name, with initials on one of five colours.
type person struct {
	Name, Initials string
	Hue            int
}

// A repositoryPart is a session of the thread, which has one for each repository that is changed.
type repositoryPart struct {
	Repository, State, Tone string
	Path                    string // empty: it is this one, or the visitor's link does not open it
	Now                     bool
}

// outcome returns what came of the session of a page whose pushes are set, as a visitor may see it.
func (p *Pages) outcome(ctx context.Context, a home.Access, v sessionPage, m markup) (o outcome, err error) {
	s := v.Session
	was, err := view.ReadOutcome(ctx, p.Store.DB, s.ID)
	if err != nil {
		return o, err
	}
	pauses, err := store.ListPauses(ctx, p.Store.DB)
	if err != nil {
		return o, err
	}
	o.Headline, o.Tone = headline(s, store.Paused(pauses, s), was, v.Pushes)
	o.Thread = s.Thread.Permalink(cmp.Or(p.Threads, p.Homes.WorkspaceURL))
	o.Spent = spent(s, was)
	if !a.Code {
		return o, nil
	}
	words := was.Newest
	if s.Phase.AwaitsConsent() {
		words = "" // the report follows
	}
	if o.Pushed = newestDone(v.Pushes); o.Pushed != nil && len(was.Told) > 0 {
		told := was.Told[len(was.Told)-1]
		told.Text = p.words(ctx, told.Text)
		o.Facts = factsOf(told, m)
		if s.Phase == workflow.PhaseDone || s.Phase == workflow.PhaseStopped {
			words = agentWords(told)
		}
	}
	o.Words = m.html(p.words(ctx, workflow.WithoutMark(words)), nil)
	name := p.namer(ctx)
	for _, x := range was.Pulls {
		o.Pulls = append(o.Pulls, p.pullOf(x))
	}
	for _, x := range was.Approvals {
		o.Approvals = append(o.Approvals, p.approvalOf(x, name))
	}
	for _, x := range was.Objected {
		o.Objected = append(o.Objected, objection{personOf(name(x.User)), p.words(ctx, x.Words)})
	}
	o.Parts, err = p.parts(ctx, a.Person.ID, v, was.Others, pauses)
	return o, err
}

// newestDone returns the first of the pushes, newest first, that went out.
func newestDone(pushes []push) *push {
	for _, x := range pushes {
		if x.State == workflow.PushDone {
			return &x
		}
	}
	return nil
}

// headline says in a few words what came of a session, and how that is marked. isPaused says that the
// operator paused it.
func headline(
	s workflow.Session, isPaused bool, o view.Outcome, pushes []push,
) (words, tone string) {
	state := s.State(isPaused)
	switch {
	case state == workflow.PausedByOperator:
	case s.Phase == workflow.PhaseDone:
		return doneHeadline(s, o, pushes)
	case s.Phase == workflow.PhaseAnswered && s.Pushed:
		return doneHeadline(s, o, pushes)
	case s.Phase == workflow.PhaseAnswered:
		return "Answered", "good"
	case s.Phase == workflow.PhaseReported:
		return fmt.Sprintf("Revision %d %s", s.Revision, state), "wait"
	case s.Phase == workflow.PhasePlanShown:
		return fmt.Sprintf("The plan, revision %d, %s", s.Revision, state), "wait"
	case s.Joined():
		return "Joined to another thread", "wait"
	case s.Phase == workflow.PhaseStopped && s.Pushed:
		words, tone = doneHeadline(s, o, pushes)
		return words + "; stopped since", tone
	case s.Phase == workflow.PhaseStopped:
		return "Stopped", "bad"
	case s.Phase == workflow.PhaseFailed:
		return "Given up", "bad"
	case state == string(s.Phase):
		return atWork[s.Phase], "work"
	}
	return strings.ToUpper(state[:1]) + state[1:], "wait"
}

// atWork says what is being done in each phase of work.
var atWork = map[workflow.Phase]string{
	workflow.PhaseAligning:   "At work: asking what is wanted",
	workflow.PhaseExploring:  "At work: reading the code",
	workflow.PhaseDiagnosing: "At work: diagnosing",
	workflow.PhasePlanning:   "At work: planning",
	workflow.PhaseWorking:    "At work: changing the code",
	workflow.PhaseVerifying:  "At work: proving the change",
	workflow.PhaseConsulting: "At work: asking for a second opinion",
}

func doneHeadline(s workflow.Session, o view.Outcome, pushes []push) (words, tone string) {
	at := slices.IndexFunc(pushes, func(x push) bool { return x.State == workflow.PushDone })
	if at < 0 {
		return "Done", "good"
	}
	words = map[workflow.Kind]string{workflow.KindBug: "Fixed", workflow.KindFeature: "Built"}[s.Kind]
	words = cmp.Or(words, "Done")
	merged := func(x view.Pull) bool { return !x.Aside && x.State == "merged" }
	switch {
	case slices.ContainsFunc(o.Pulls, func(x view.Pull) bool { return !x.Aside && x.State == "reverted" }):
		return words + ", and reverted", "bad"
	case slices.ContainsFunc(o.Pulls, merged):
		return words + " and merged", "good"
	case pushes[at].Unproven != "":
		return words + " and pushed, unproven", "wait"
	}
	return words + " and pushed", "good"
}

// spent says what a session cost, and how long it was at work.
func spent(s workflow.Session, o view.Outcome) string {
	var parts []string
	if cost := s.Cost(); cost != (workflow.Cost{}) {
		parts = append(parts, cost.String())
	}
	if o.Worked > 0 {
		parts = append(parts, plaintext.FormatDuration(o.Worked)+" at work")
	}
	return strings.Join(parts, " · ")
}

// factsOf returns what the program vouched for when it told the thread of a push, one fact each.
func factsOf(told view.Told, m markup) (facts []fact) {
	lines := strings.Split(told.Text, "\n")
	var vouched []string
	signed := false
	for _, n := range told.Vouched {
		if n >= len(lines) {
			continue
		}
		line := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(lines[n]), workflow.Mark))
		if line == "" || noFact.MatchString(line) {
			continue
		}
		signed = signed || sign.MatchString(line)
		vouched = append(vouched, line)
	}
	for _, line := range vouched {
		switch mark := sign.FindStringSubmatch(line); {
		case mark != nil:
			kind := map[string]string{"✓": "holds", "✗": "fails"}[mark[1]]
			facts = append(facts, fact{kind, m.line(mark[2])})
		case signed:
			facts = append(facts, fact{"beside", m.line(line)})
		default: // from before each fact had a line of its own
			for part := range strings.SplitSeq(line, "; ") {
				kind := "beside"
				if speaksFor.MatchString(part) {
					kind = "holds"
				}
				facts = append(facts, fact{kind, m.line(part)})
			}
		}
	}
	return facts
}

var (
	sign = regexp.MustCompile(`^([✓✗]) +(.+)$`)
	// what the page says elsewhere: what was pushed, its files, what it cost, what can be replied
	noFact = regexp.MustCompile(`^(?:Done\b|Files: |Reply "|Compare|Pushed ` + "`" +
		`|.*\*\*[A-Z][^*]* and pushed[^*]*:\*\*|\S+@[0-9a-f]{7,} · )`)
	speaksFor = regexp.MustCompile(`red before, green now|green before and now|^\d+ still pass|` +
		`^(?:\d+) of \d+ hunks? (?:is|are) needed|nothing found|findings?, fixed|` +
		`failed before and passes now|[Bb]uild (?:is )?clean`)
)

// agentWords returns what a result says besides what the program vouches for.
func agentWords(told view.Told) string {
	var words []string
	for i, line := range strings.Split(told.Text, "\n") {
		if !slices.Contains(told.Vouched, i) && !strings.HasPrefix(line, "Compare:") &&
			!strings.HasPrefix(line, "[Compare]") {
			words = append(words, line)
		}
	}
	return strings.Join(words, "\n")
}

// pullOf returns a pull request as it is shown.
func (p *Pages) pullOf(x view.Pull) pull {
	shown := pull{Name: "Pull request", URL: x.URL, Title: p.mask(x.Title), State: x.State}
	if x.Number > 0 {
		shown.Name = fmt.Sprintf("#%d", x.Number)
	}
	switch x.State {
	case "intended":
		shown.State = "is being opened"
	case "refused":
		shown.State = "refused by the host: " + p.mask(x.Reason)
	}
	return shown
}

func (p *Pages) approvalOf(a view.Approved, name func(string) string) approval {
	shown := approval{
		By:       personOf(name(a.User)),
		Revision: a.Revision,
		Limits:   p.mask(a.Scope),
		At:       a.At,
	}
	if a.Push {
		shown.Revision = 0
	}
	return shown
}

// parts returns the sessions of the thread's repositories that the visitor may see, this one first, if there
// are several.
func (p *Pages) parts(
	ctx context.Context, user string, v sessionPage, others []string, pauses []store.Pause,
) (list []repositoryPart, err error) {
	for _, id := range others {
		a, known := p.lately.find(user, id, time.Now())
		if !known {
			if a, err = p.Homes.Access(ctx, user, id); err != nil {
				return nil, err
			}
			p.lately.note(user, id, a, time.Now())
		}
		if a.Refused != "" {
			continue
		}
		shown := partOf(a.Session, pauses)
		if v.Listed {
			shown.Path = "/s/" + id
		}
		list = append(list, shown)
	}
	if len(list) == 0 {
		return nil, nil
	}
	own := partOf(v.Session, pauses)
	own.Now = true
	return append([]repositoryPart{own}, list...), nil
}

func partOf(s workflow.Session, pauses []store.Pause) repositoryPart {
	isPaused := store.Paused(pauses, s)
	_, tone := headline(s, isPaused, view.Outcome{}, nil)
	return repositoryPart{
		Repository: cmp.Or(s.Repository, "no repository yet"),
		State:      s.State(isPaused),
		Tone:       tone,
	}
}
