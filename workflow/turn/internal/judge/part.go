package judge

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A thread whose change takes several repositories has a session for each of them: see inbox.NewPart. Each
// gets all messages, and the rules here say in each of them whom a message is for.

// An addressee says whether a message is for this session, among those of the thread.
type addressee struct {
	address   intent.Address
	elsewhere bool   // it is for other sessions of the thread alone
	begins    string // it is for a repository that has no session in the thread yet
	also      string // it is for this session, and for a repository that has none yet
}

// addressed reads whom a message is for. The words are then read without the name of this session's own
// repository: "fix it in site" says "fix it" in the part of site.
func (j *Judge) addressed(ctx context.Context, m intent.Message) (intent.Message, addressee, error) {
	var to addressee
	names := j.Catalog.Names()
	if len(names) < 2 || !slices.Contains(addressedKinds, m.Kind) {
		return m, to, nil
	}
	parts, err := j.Inbox().Parts(ctx)
	if err != nil {
		return m, to, err
	}
	to.address = intent.AddressOf(m.Text, names)
	s := j.Session()
	if s.Repository == "" {
		return m, to, nil
	}
	if to.address.To != nil {
		m.Says = j.Words.Read(to.address.Rest, j.ConsultantName())
	} else if limit := m.Says.Consent; limit.Kind == intent.ConsentScoped {
		m.Says.Consent = limitHere(m.Text, limit, s.Repository, parts)
	}
	if to.address.Names(s.Repository) && !to.address.All && s.PartOf == "" {
		to.also = withoutSession(to.address.To, append(parts, inbox.ThreadPart{Repository: s.Repository}))
	}
	if !to.address.Names(s.Repository) {
		to.begins = withoutSession(to.address.To, parts)
		to.elsewhere = to.begins == "" && len(parts) > 0 && j.isForOthers(to.address, m.Says)
		if to.elsewhere && m.Kind == workflow.MessageEdit {
			to.elsewhere, err = j.wasForOthers(ctx, m, names)
		}
	}
	return m, to, err
}

// limitHere returns consent with a limit, as it is read in a session of a thread. If its words name another
// repository of the thread ("fix the site only"), they may be meant for that one: the writer is asked.
func limitHere(
	text string, consent intent.Consent, repository string, parts []inbox.ThreadPart,
) intent.Consent {
	var names []string
	for _, p := range parts {
		names = append(names, p.Repository)
	}
	if intent.MentionsOther(text, repository, names) {
		consent.Kind = intent.ConsentUnclear
	}
	return consent
}

// addressedKinds are the kinds of messages that say in words whom they are for.
var addressedKinds = []workflow.MessageKind{
	workflow.MessageMention, workflow.MessageReply, workflow.MessageEdit,
}

// isForOthers reports whether words that do not name this session's repository are for other sessions of the
// thread alone. What names none is for the thread's own session, but a stop is for all. What names another
// one at its end and decides nothing is read by agents of the thread's own session, too.
func (j *Judge) isForOthers(a intent.Address, says intent.Reading) bool {
	part := j.Session().PartOf != ""
	switch {
	case a.To == nil:
		return part && says.Consent.Kind != intent.ConsentStop && says.Refusal == intent.RefusalNone
	case part || a.First:
		return true
	}
	return says.Decides() || says.Refusal != intent.RefusalNone
}

// wasForOthers reports whether an edited message was for other sessions before the edit, too.
func (j *Judge) wasForOthers(ctx context.Context, m intent.Message, names []string) (bool, error) {
	before, err := j.Inbox().Original(ctx, m.TS, m.ID)
	if err != nil {
		return false, err
	}
	a := intent.AddressOf(before, names)
	return !a.Names(j.Session().Repository) && j.isForOthers(a, j.Words.Read(a.Rest)), nil
}

// withoutSession returns the first of the repositories that has no session in the thread, or an empty string.
func withoutSession(names []string, parts []inbox.ThreadPart) string {
	for _, name := range names {
		if !hasPart(parts, name) {
			return name
		}
	}
	return ""
}

// hasPart reports whether a session of the thread is about the repository.
func hasPart(parts []inbox.ThreadPart, repository string) bool {
	return slices.ContainsFunc(parts, func(p inbox.ThreadPart) bool { return p.Repository == repository })
}

// isForElsewhere reports whether the message is for other sessions of the thread alone. In a part, words
// that refuse something and name no repository are for this one only if they stop its approved work.
func (c *Case) isForElsewhere() bool {
	refuses := c.to.address.To == nil && c.Session.PartOf != "" && c.says().Refusal != intent.RefusalNone
	return c.to.elsewhere || refuses && !c.isEdit() && !c.saysStop()
}

func (c *Case) isEdit() bool { return c.Message.Kind == workflow.MessageEdit }

// asksForPart reports whether the message asks for the work on a repository that has no part yet.
func (c *Case) asksForPart() bool {
	return c.Session.PartOf == "" && c.to.begins != "" && c.says().Permits()
}

// leaveToOthers judges a message that is for other sessions of the thread.
func leaveToOthers(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
	return append(j.Ignore(c.Message), store.Update{ClearStop: true}), nil
}

// beginPart begins the part of a repository, at the word of a full member. It permits nothing: the part gets
// a report, and that waits for an approval of its own.
func (j *Judge) beginPart(
	ctx context.Context, m intent.Message, p workflow.Person, name string,
) ([]store.Part, error) {
	if p.Guest {
		return j.turnAway(m, p, "guests cannot start work here; ask a full member to"), nil
	}
	if j.Session().PartOf != "" {
		return j.Answer(m, "Only the thread's own session begins parts. Write it without a repository's "+
			"name before it."), nil
	}
	parts, err := j.Inbox().Parts(ctx)
	if err != nil {
		return nil, err
	}
	if name == j.Session().Repository || hasPart(parts, name) {
		return j.Answer(m, plaintext.CodeSpan(name)+" is worked on in this thread already."), nil
	}
	others, err := j.Catalog.Others(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case slices.Contains(others.Closed, name):
		return j.Answer(m, fmt.Sprintf("I do not read %s in this thread: %s, and its code is for full "+
			"members.", name, others.Why)), nil
	case !slices.Contains(others.Names(), name):
		return j.Answer(m, fmt.Sprintf("I know no repository %s here.", plaintext.CodeSpan(name))), nil
	case len(parts) > maxParts:
		return j.Answer(m, fmt.Sprintf("This thread has %d parts already. For %s, please begin another "+
			"thread.", maxParts, name)), nil
	}
	found, err := j.newestReport(ctx)
	if err != nil {
		return nil, err
	}
	f := j.Answer(m, fmt.Sprintf("%s gets a part of its own in this thread, as %s asked: a report, and an "+
		"approval of its own (%q).", name, p.Name, "fix it in "+name))
	return append(f, inbox.NewPart{
		Repository: name,
		Found:      prompt.PartBrief(j.Session().Repository, name, found),
	}), nil
}

// addPart adds the part of a further repository that words name beside this session's own, if they permit
// something: "fix it in shop and site". What they permit is of this one alone.
func (j *Judge) addPart(ctx context.Context, c *Case, f []store.Part) ([]store.Part, error) {
	if c.to.also == "" || !c.says().Permits() || c.person().Guest {
		return f, nil
	}
	more, err := j.beginPart(ctx, c.Message, c.person(), c.to.also)
	return append(f, slices.DeleteFunc(more, func(p store.Part) bool {
		_, handled := p.(inbox.Handled)
		return handled
	})...), err
}

// maxParts is how many repositories a thread may have besides its own.
const maxParts = 4

// newestReport returns the text of the session's newest report, or an empty string.
func (j *Judge) newestReport(ctx context.Context) (string, error) {
	s := j.Session()
	if s.Revision == 0 {
		return "", nil
	}
	r, err := j.Store.Report(ctx, s.ID, s.Revision)
	return r.Text, err
}
