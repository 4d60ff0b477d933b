package permission

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
)

// Every consent is a row that is made from one message or click, of the person who wrote or made it, as
// Slack describes that person now. Nothing else in this package makes a workflow.Permission, and the
// schema refuses one that names another person's message.

// NewPermission returns the permission that p gives with the message m. revision is the newest one that
// the thread was shown, 0 if there is none.
func NewPermission(
	m workflow.Message, p workflow.Person, what workflow.PermissionKind, revision int, restsOn ...int64,
) consent.Permission {
	return consent.Permission{Permission: workflow.Permission{
		ID:        store.NewToken(),
		What:      what,
		Revision:  revision,
		Message:   m.ID,
		MessageTS: m.TS,
		User:      p.ID,
		UserName:  p.Name,
		RestsOn:   restsOn,
	}}
}

// PermissionKind returns the kind of permission that an approval of such a report gives.
func (ps *Permissions) PermissionKind(kind string) workflow.PermissionKind {
	switch {
	case kind == workflow.ReportPlan:
		return workflow.PermitPlan
	case kind == workflow.ReportRequest && ps.Session().Phase == workflow.PhaseAligning:
		return workflow.PermitUnderstanding
	case kind == workflow.ReportRequest:
		return workflow.PermitRequest
	}
	return workflow.PermitReport
}

// Terms are what belongs to an approval besides its report.
type Terms struct {
	What   workflow.PermissionKind
	Own    string   // what the asker limits it to
	Scope  string   // what all who approve limit it to
	Needed int      // distinct people who have to approve
	By     []string // their names
}

// ApprovalParts returns the parts of the approval of r by the asker, who completes it. With it the session
// gets its branch, which may be written from then on.
func (ps *Permissions) ApprovalParts(
	ctx context.Context, by Asker, r workflow.Report, terms Terms,
) ([]store.Part, error) {
	m := by.Message
	p := by.Person
	branch, err := ps.Catalog.BranchName(ctx, r.Kind)
	if err != nil {
		return nil, err
	}
	return []store.Part{
		NewPermission(m, p, terms.What, r.Revision, by.RestsOn...),
		consent.Approval{
			ID:         store.NewToken(),
			Session:    ps.Session().ID,
			Revision:   r.Revision,
			ReportHash: r.Hash(),
			User:       p.ID,
			UserName:   p.Name,
			Credit:     p.Credit,
			Scope:      terms.Scope,
			MessageTS:  m.TS,
			Needed:     terms.Needed,
			By:         terms.By,
		},
		consent.Decision{
			What:      workflow.DecideApprove,
			Allowed:   true,
			Reason:    terms.Own,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  r.Revision,
		},
		store.Update{Change: func(s *workflow.Session) { s.Branch = branch }},
	}, nil
}

// ApprovalRefusal returns why p may not approve what is asked for now, or an empty string if p may.
func (ps *Permissions) ApprovalRefusal(
	ctx context.Context, p workflow.Person,
) (why string, a workflow.Approvers, err error) {
	return ps.RevisionRefusal(ctx, p, ps.Session().Revision)
}

// RevisionRefusal returns why p may not decide on what was asked for as that revision, or an empty string
// if p may. A decision on what was pushed is one on its revision, whatever was reported since.
func (ps *Permissions) RevisionRefusal(
	ctx context.Context, p workflow.Person, revision int,
) (why string, a workflow.Approvers, err error) {
	if a, err = ps.Approvers(ctx); err != nil {
		return "", a, err
	}
	requesters, err := ps.requesters(ctx, a, revision)
	return a.MayApprove(p, requesters...), a, err
}

// HoldReason returns why the words of p are held back from the agents now, or an empty string if they
// are not. While work is stopped, or approved and not yet pushed, the words of a person who may not
// approve are held back.
func (ps *Permissions) HoldReason(ctx context.Context, p workflow.Person) (why string, err error) {
	if ps.Session().Phase != workflow.PhaseStopped || ps.Session().Joined() {
		if a, err := ps.StandingApproval(ctx); a == nil || err != nil {
			return "", err
		}
	}
	why, _, err = ps.ApprovalRefusal(ctx, p)
	if err != nil {
		ps.Log.Warn("words are held back: cannot read who may approve", "user", p.ID, "err", err)
		return "Slack does not tell who may approve", nil // fail closed
	}
	return why, nil
}

// requesters returns who asked for the report of that revision, if the configuration demands that another
// person approves. Otherwise it returns nil.
func (ps *Permissions) requesters(ctx context.Context, a workflow.Approvers, revision int) ([]string, error) {
	s := ps.Session()
	if !a.OtherThanRequester {
		return nil, nil
	}
	if revision == 0 {
		return ps.RequestAuthors(ctx, "")
	}
	r, err := ps.Store.Report(ctx, s.ID, revision)
	if err != nil {
		return nil, fmt.Errorf("who asked for revision %d: %w", revision, err)
	}
	if r.AskedBy == nil { // the row is older than this column
		return []string{s.Requester}, nil
	}
	return r.AskedBy, nil
}

// RequestAuthors returns who asked for the content of a report of that kind since the newest push: the author
// of the first message and, for a request or a plan, everybody who asked for a part or corrected one. A
// remark on the pull request counts like a message, and so does a press that asks for something, or that
// passes on what somebody else wrote. Until a revision is pushed, those who asked for it count for the next
// one, too.
func (ps *Permissions) RequestAuthors(ctx context.Context, kind string) ([]string, error) {
	s := ps.Session()
	ids := []string{}
	if s.Revision > 0 {
		spent, err := ps.RevisionPushed(ctx, s.Revision)
		if err != nil {
			return nil, err
		}
		before, err := ps.Store.Report(ctx, s.ID, s.Revision)
		if err != nil {
			return nil, err
		}
		if !spent && before.AskedBy == nil {
			ids = append(ids, s.Requester)
		} else if !spent {
			ids = append(ids, before.AskedBy...)
		}
	}
	asked, err := ps.messagesShown(ctx)
	if err != nil {
		return nil, err
	}
	first := true
	for _, x := range asked {
		corrects := x.corrects()
		if !corrects && !x.speaks() || x.Answers || x.Says.Acknowledges || x.Rested && x.Says.OnlyAsks {
			continue
		}
		builds := (kind == workflow.ReportRequest || kind == workflow.ReportPlan) &&
			(corrects || x.asksForWork())
		if (first || builds) && !slices.Contains(ids, x.User) {
			ids = append(ids, x.User)
		}
		first = false
	}
	if len(ids) == 0 {
		ids = append(ids, s.Requester)
	}
	return ids, nil
}

// IsMessage reports whether an event of that kind is a message to the bot or in its thread.
func IsMessage(k workflow.MessageKind) bool {
	return k == workflow.MessageMention || k == workflow.MessageReply || k == workflow.MessageSent
}

// AskedBy returns the message and the person whose request permits what the orchestrator restates, or
// nil with a reason for people. The program decides it from rows: everything that agents were shown
// since the thread last rested has to come from people who may approve, or be adopted by one, and one
// of them has to have asked for something. What other people wrote before that rest counts, too, since
// newer words may build on it; only mere questions are left out, since they were answered.
func (ps *Permissions) AskedBy(ctx context.Context) (by *Asker, why string, err error) {
	if ps.Session().PartOf != "" {
		return nil, "a change in this repository needs an approval of its own", nil
	}
	approvers, err := ps.Approvers(ctx)
	if err != nil {
		ps.Log.Warn("asking is no permission: cannot read who may approve", "err", err)
		return nil, "Slack does not tell who may approve here", nil
	}
	if approvers.OtherThanRequester {
		return nil, "somebody other than the person who asked has to approve here", nil
	}
	if stopped, err := ps.Store.Undelivered(ctx, ps.Session().ID); err != nil {
		return nil, "", err
	} else if stopped && ps.Session().Halted != "" {
		return nil, "the work before it was stopped, and its changes are still here", nil
	}
	asked, err := ps.messagesShown(ctx)
	if err != nil {
		return nil, "", err
	}
	given, err := ps.readGiven(ctx)
	if err != nil {
		return nil, "", err
	}
	authors := &authors{Permissions: ps, approvers: approvers, known: map[string]author{}}
	by = &Asker{}
	spent := false
	for _, x := range asked {
		refused := authors.refusal(ctx, x)
		switch adopted := authors.isAdopted(ctx, given, x.ID); {
		case refused != "" && !adopted:
			if x.Rested && IsMessage(x.Kind) && x.AgentText == "" && x.Says.OnlyAsks {
				continue
			}
			return nil, refused, nil
		case refused == "" && x.Rested:
			continue
		case refused == "" && given.canBeTheRequest(x):
			by.Message = x.Message
			by.Person = authors.lookUp(ctx, x.User).person
		}
		spent = spent || given.spent[x.ID]
		by.RestsOn = append(by.RestsOn, x.ID)
	}
	switch {
	case by.Message.ID == 0 && spent:
		return nil, "what was asked for was allowed as an earlier revision", nil
	case by.Message.ID == 0:
		return nil, "nobody asked for this in so many words", nil
	}
	elsewhere, err := ps.Inbox().ReadElsewhere(ctx)
	if err != nil {
		return nil, "", err
	}
	if elsewhere {
		return nil, "a link, a number or a source leads to what others wrote", nil
	}
	return by, "", nil
}

// sessionPermissions holds the permissions of the session that matter for AskedBy.
type sessionPermissions struct {
	adoptions map[int64][]workflow.Permission // by the inbox row that is adopted
	adopting  map[int64]bool                  // inbox rows that adopt another person's request
	spent     map[int64]bool                  // inbox rows that permitted a revision
}

func (ps *Permissions) readGiven(ctx context.Context) (sessionPermissions, error) {
	g := sessionPermissions{map[int64][]workflow.Permission{}, map[int64]bool{}, map[int64]bool{}}
	all, err := ps.Store.Permissions(ctx, ps.Session().ID)
	for _, p := range all {
		switch p.What {
		case workflow.PermitReport, workflow.PermitPlan, workflow.PermitUnderstanding, workflow.PermitRequest:
			g.spent[p.Message] = true
		case workflow.PermitAdopt:
			g.adopting[p.Message] = len(p.RestsOn) > 0
			for _, id := range p.RestsOn {
				g.adoptions[id] = append(g.adoptions[id], p)
			}
		}
	}
	return g, err
}

// canBeTheRequest reports whether x can be the message by which something was asked for: an unedited message
// that asks for something to be done, or that adopts another person's request. A message permits only
// once. A message that only passes held words on does not ask for them.
func (s sessionPermissions) canBeTheRequest(x shownMessage) bool {
	if s.spent[x.ID] || x.Changed || x.Answers ||
		x.Kind != workflow.MessageMention && x.Kind != workflow.MessageReply {
		return false
	}
	return x.AgentText == "" && x.asksForWork() || x.Says.Command != workflow.CommandNone ||
		s.adopting[x.ID] && !x.Says.PassesOn
}

// authors holds the people who wrote parts of a request. Each is looked up once in Slack.
type authors struct {
	*Permissions
	approvers workflow.Approvers
	known     map[string]author
}

type author struct {
	person workflow.Person
	why    string // why the person may not approve; empty: the person may
}

func (a *authors) lookUp(ctx context.Context, user string) author {
	if known, ok := a.known[user]; ok {
		return known
	}
	p, err := a.Slack.Person(ctx, a.Session().Thread, user)
	found := author{person: p, why: a.approvers.MayApprove(p)}
	if err != nil {
		a.Log.Warn("an author may not approve: Slack does not tell who that is", "user", user, "err", err)
		found.why = "Slack does not tell who that is" // fail closed
	}
	if p.Name == "" {
		found.person.Name = "somebody"
	}
	a.known[user] = found
	return found
}

// refusal returns why a message does not come from a person who may approve, or an empty string if it
// does.
func (a *authors) refusal(ctx context.Context, x shownMessage) string {
	switch {
	case x.Kind == workflow.MessageSent && x.Value != x.User:
		return "the request is somebody else's message"
	case x.Kind == workflow.MessagePreview:
		return "part of it is what a link shows"
	case x.Kind == workflow.MessageRemark:
		return "part of it was written at the git host"
	case x.App() == workflow.ThroughForm:
		return "it came by a form, which approves nothing"
	case x.User == "", x.App() != "":
		return "an app wrote part of it"
	case x.Says.Forwards:
		return "part of it is somebody else's message"
	}
	if found := a.lookUp(ctx, x.User); found.why != "" {
		return fmt.Sprintf("%s wrote part of it: %s", plaintext.OneLine(found.person.Name), found.why)
	}
	return ""
}

// isAdopted reports whether a person who may approve adopted the message of that inbox row.
func (a *authors) isAdopted(ctx context.Context, g sessionPermissions, row int64) bool {
	return slices.ContainsFunc(g.adoptions[row],
		func(p workflow.Permission) bool { return a.lookUp(ctx, p.User).why == "" })
}
