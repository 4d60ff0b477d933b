package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// A subject is what several people may have to say yes to.
type subject struct {
	Report   workflow.Report // the revision
	Subjects []string        // whose words count: see workflow.Endorsement; empty: those for the revision
	Needed   int             // at least so many people, whatever the configuration says now
	Files    []string        // files of it that are known
	Without  string          // the word of this person does not count
	// the word of an approval from before permissions existed, of which there is no row
	Inherited []workflow.Endorsement
}

func (s subject) names() []string {
	if len(s.Subjects) == 0 {
		return []string{""}
	}
	return s.Subjects
}

// A Count is a quorum, with the earlier words of the person who just wrote.
type Count struct {
	ledger.Quorum
	Own []workflow.Endorsement
}

// scope returns what all the people limit the work to: it has to be within each of these limits.
func (c Count) scope() string {
	var limits []string
	for _, e := range c.By {
		if e.Scope != "" && !slices.Contains(limits, e.Scope) {
			limits = append(limits, e.Scope)
		}
	}
	return strings.Join(limits, "; and: ")
}

// countWords counts the words for a subject. Each person is read anew in Slack, and so is the message that
// was written: the word of somebody who may not approve any more does not count, nor one that was changed.
// own is the word that is just given; nil: none is. An error means that something could not be read.
func (ap *Approvals) countWords(
	ctx context.Context, subject subject, own *workflow.Endorsement,
) (c Count, err error) {
	a, err := ap.Permissions.Approvers(ctx)
	if err != nil {
		return c, err
	}
	c.Needed = max(a.Needed, subject.Needed, 1)
	given, err := ap.Store.Endorsements(ctx, ap.Session().ID, subject.Report.Revision, subject.names()...)
	if err != nil {
		return c, err
	}
	given = append(given, subject.Inherited...)
	if own != nil && c.Needed == 1 && len(a.Needs) == 0 { // nobody else's word is needed
		given = slices.DeleteFunc(given, func(e workflow.Endorsement) bool { return e.User != own.User })
	}
	requesters := subject.Report.AskedBy
	if requesters == nil { // the row is older than this column
		requesters = []string{ap.Session().Requester}
	}
	checked := map[string]bool{}
	for _, e := range given {
		if e.User == subject.Without {
			continue
		}
		if own != nil && e.User == own.User {
			c.Own = append(c.Own, e)
			continue
		}
		counts, known := checked[e.User]
		if !known {
			if counts, err = ap.stillCounts(ctx, &c, a, e, requesters); err != nil {
				return c, err
			}
			checked[e.User] = counts
			if counts {
				c.By = append(c.By, e)
			}
		} else if !counts {
			c.end(e, workflow.EndorsementRefused, "")
		}
	}
	if own != nil {
		c.By = append(c.By, *own)
	}
	return c, ap.missing(ctx, &c, a, subject, requesters)
}

// end notes that a word does not count any more.
func (c *Count) end(e workflow.Endorsement, why workflow.EndorsementEnd, said string) {
	c.Ended = append(c.Ended,
		consent.EndorsementEnd{Endorsements: []workflow.Endorsement{e}, Why: why})
	if said != "" {
		c.Lost = append(c.Lost, said)
	}
}

// stillCounts reports whether the word of a person still counts, and notes in c if it does not.
func (ap *Approvals) stillCounts(
	ctx context.Context, c *Count, a workflow.Approvers, e workflow.Endorsement, requesters []string,
) (bool, error) {
	p, err := ap.Slack.Person(ctx, ap.Session().Thread, e.User)
	if err != nil {
		return false, fmt.Errorf("read whether %s may still approve: %w", e.User, err)
	}
	if why := a.MayApprove(p, requesters...); why != "" {
		c.end(e, workflow.EndorsementRefused, fmt.Sprintf("The approval of %s does not count any more: %s.",
			plaintext.OneLine(e.UserName), why))
		return false, nil
	}
	how, _, err := ap.Changed(ctx, e)
	if err != nil || how == "" {
		return err == nil, err
	}
	c.end(e, how, fmt.Sprintf("The approval of %s does not count any more: its message was %s.",
		plaintext.OneLine(e.UserName), how))
	return false, nil
}

// Changed reads the message that gave a word again, and returns how it was changed, with its text now, or
// nothing if it still permits what it permitted. A request that is its own permission is corrected by an
// edit.
func (j *Judgements) Changed(
	ctx context.Context, e workflow.Endorsement,
) (how workflow.EndorsementEnd, text string, err error) {
	m, written, err := j.Inbox().Written(ctx, e.MessageTS)
	if err != nil || !written || m.User != e.User {
		return "", "", err // pressed, or the root of a slash command
	}
	text, _, found, err := j.Slack.Reread(ctx, j.Session().ThreadOf(e.MessageTS), e.MessageTS)
	switch {
	case err != nil:
		return "", "", fmt.Errorf("read the approval of %s again: %w", e.User, err)
	case !found:
		return workflow.EndorsementDeleted, "", nil
	case ReadsSame(m.Text, text) || j.Words.Read(m.Text).PermitsSame(j.Words.Read(text)):
		return "", text, nil
	}
	if asked, err := j.ByAsking(ctx, e.Permission); err != nil || asked {
		return "", text, err
	}
	return workflow.EndorsementEdited, text, nil
}

// ByAsking reports whether a permission was given by asking for the work, in a message that is the request
// itself.
func (j *Judgements) ByAsking(ctx context.Context, id string) (bool, error) {
	all, err := j.Store.Permissions(ctx, j.Session().ID)
	for _, p := range all {
		if p.ID == id {
			return len(p.RestsOn) > 0, err
		}
	}
	return false, err
}

// missing notes in c who has to say yes, too: more people, and somebody of each group that the files need.
func (ap *Approvals) missing(
	ctx context.Context, c *Count, a workflow.Approvers, subject subject, requesters []string,
) error {
	if n := c.Needed - len(c.By); n > 0 {
		c.Missing = append(c.Missing,
			plaintext.CountNoun(n, "more approver")+ap.others(ctx, *c, a, requesters))
	}
	for _, need := range a.Needs {
		files := matching(need.Files, subject.Files)
		if len(files) == 0 {
			continue
		}
		c.Files = append(c.Files, files...)
		people, err := ap.Permissions.Members(ctx, need.From)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(c.By, func(e workflow.Endorsement) bool {
			return slices.Contains(people, e.User)
		}) {
			continue
		}
		c.Missing = append(c.Missing, fmt.Sprintf("%s, for %s", need.Who(),
			plaintext.FirstOf(inCode(files), 3)))
		c.Mentions = append(c.Mentions, need.From...)
	}
	return nil
}

// matching returns the paths that the pattern matches.
func matching(pattern string, paths []string) (found []string) {
	for _, path := range paths {
		if doublestar.MatchUnvalidated(pattern, path) {
			found = append(found, path)
		}
	}
	return found
}

// inCode returns the paths as code.
func inCode(paths []string) (shown []string) {
	for _, path := range paths {
		shown = append(shown, plaintext.CodeSpan(plaintext.OneLine(path)))
	}
	return shown
}

// maxNamed is how many people are named who can still approve.
const maxNamed = 5

// others names who can still approve, if the configuration names a few people.
func (ap *Approvals) others(
	ctx context.Context, c Count, a workflow.Approvers, requesters []string,
) string {
	var names []string
	for _, id := range a.People {
		has := slices.ContainsFunc(c.By, func(e workflow.Endorsement) bool { return e.User == id })
		if strings.HasPrefix(id, "S") || has || a.OtherThanRequester && slices.Contains(requesters, id) {
			continue
		}
		if name := plaintext.OneLine(ap.PersonName(ctx, id)); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 || len(names) > maxNamed {
		return ""
	}
	if len(names) == 1 {
		return " (" + names[0] + ")"
	}
	return " (" + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1] + ")"
}

// Quorum counts the words under which exactly these files may be pushed: those for the revision, and those
// for the files. tree is their tree, and files are their paths.
func (ap *Approvals) Quorum(
	ctx context.Context, a *workflow.Approval, tree string, files []string,
) (ledger.Quorum, error) {
	report, err := ap.Store.Report(ctx, a.Session, a.Revision)
	if err != nil {
		return ledger.Quorum{}, err
	}
	about := subject{
		Report: report, Subjects: []string{"", workflow.TreeSubject(tree)}, Needed: a.Needed, Files: files,
	}
	if a.Permission == "" {
		about.Inherited = []workflow.Endorsement{a.Inherited()}
	}
	c, err := ap.countWords(ctx, about, nil)
	return c.Quorum, err
}

// Still says whose words are missing for a revision once that of a person does not count any more, or nothing
// if that cannot be read.
func (ap *Approvals) Still(ctx context.Context, revision int, without string) string {
	report, err := ap.Store.Report(ctx, ap.Session().ID, revision)
	if err == nil {
		var c Count
		c, err = ap.countWords(ctx, subject{Report: report, Files: report.Files(), Without: without}, nil)
		if err == nil && !c.Complete() {
			return " " + c.Still()
		}
	}
	if err != nil {
		ap.Log.Warn("it is not said who has to approve, too", "revision", revision, "err", err)
	}
	return ""
}

// Pending returns the words for the newest revision, if it is not approved by enough people yet.
func (j *Judgements) Pending(ctx context.Context) ([]workflow.Endorsement, error) {
	s := j.Session()
	if s.Revision == 0 || s.Revision <= s.Voided {
		return nil, nil
	}
	if a, err := j.Store.Approval(ctx, s.ID, s.Revision); err != nil || a != nil {
		return nil, err
	}
	return j.Store.Endorsements(ctx, s.ID, s.Revision, "")
}

// endorsed is what the word of a person for a subject brings about.
type endorsed struct {
	Count
	again bool         // the person has said so already, and that counts once
	parts []store.Part // the word itself, if it does not complete the subject
}

// endorse counts the word of the asker for a subject. If others have to say so, too, parts holds the word and
// nothing that it permits.
func (ap *Approvals) endorse(
	ctx context.Context, by permission.Asker, about subject, scope string, what workflow.PermissionKind,
) (e endorsed, err error) {
	own := workflow.Endorsement{
		Revision: about.Report.Revision, Subject: about.names()[len(about.names())-1],
		User: by.Person.ID, UserName: by.Person.Name, Credit: by.Person.Credit, Scope: scope,
		MessageTS: by.Message.TS,
	}
	if e.Count, err = ap.countWords(ctx, about, &own); err != nil {
		return e, err
	}
	e.again = !e.Complete() && slices.ContainsFunc(e.Own, func(x workflow.Endorsement) bool {
		return x.Subject == own.Subject && x.Scope == scope
	})
	for _, x := range e.Own { // the newest word of a person counts
		if x.Subject == own.Subject {
			e.end(x, workflow.EndorsementReplaced, "")
		}
	}
	e.parts = append(e.Ended, consent.Endorsement(own))
	if !e.Complete() {
		e.parts = append(e.parts,
			permission.NewPermission(by.Message, by.Person, what, about.Report.Revision, by.RestsOn...))
	}
	return e, nil
}

// An Approved is what a person's approval of a revision brings about: the approval, or one word of several.
type Approved struct {
	Count
	Parts []store.Part
	again bool // the person has approved it already, and that counts once
}

// ApproveReport returns what the approval of a revision by the asker brings about. The last of the people who
// have to approve makes the approval; the word of one before is kept, and permits nothing.
func (ap *Approvals) ApproveReport(
	ctx context.Context, by permission.Asker, r workflow.Report, scope string,
) (Approved, error) {
	what := ap.Permissions.PermissionKind(r.Kind)
	e, err := ap.endorse(ctx, by, subject{Report: r, Files: r.Files()}, scope, what)
	if err != nil {
		return Approved{}, err
	}
	approved := Approved{Count: e.Count, Parts: e.parts, again: e.again}
	own, err := ap.ownObjections(ctx, r.Revision, by.Person.ID)
	if err != nil {
		return approved, err
	}
	if own != nil { // whoever approves has nothing against it any more
		approved.Parts = append(approved.Parts, consent.Withdrawal{User: by.Person.ID, Objections: own})
	}
	if !e.Complete() {
		approved.Parts = append(approved.Parts, consent.Decision{
			What: workflow.DecideApprove, Allowed: true, Reason: strings.TrimSpace(scope + e.So()),
			User: by.Person.ID, MessageTS: by.Message.TS, Revision: r.Revision,
		})
		return approved, nil
	}
	parts, err := ap.Permissions.ApprovalParts(ctx, by, r, permission.Terms{
		What: what, Own: scope, Scope: e.scope(), Needed: e.Needed, By: e.Names(),
	})
	approved.Parts = append(approved.Parts, parts...)
	return approved, err
}

// ownObjections returns the ids of a person's objections to a revision from before it was approved.
func (ap *Approvals) ownObjections(ctx context.Context, revision int, user string) (ids []int64, err error) {
	all, err := ap.Store.ObjectionsTo(ctx, ap.Session().ID, revision)
	for _, o := range all {
		if o.User == user {
			ids = append(ids, o.ID)
		}
	}
	return ids, err
}

// Waits returns what is said of a revision that others have to approve, too.
func (a Approved) Waits(revision int, scope string) string {
	said := fmt.Sprintf("Revision %d approved by %s%s", revision, plaintext.And(a.Names()), a.So())
	if scope != "" {
		said += ", limited to: " + scope
	}
	return strings.Join(append(a.Lost, strings.TrimSuffix(said, ".")+".", a.Still()), " ")
}

// A question is one whose answer needs as many people as an approval does.
type question struct {
	revision int
	subject  string
	permit   workflow.PermissionKind
	decide   workflow.DecisionKind
	what     string          // what is to be done, as the beginning of a sentence
	reason   string          // of the decision
	files    []string        // that it is about
	button   workflow.Button // its zero value: only words say it
}

// agree counts the word of a person for what a question asks. waits is not nil if others have to say so, too,
// or if it cannot be read whose words count.
func (ap *Approvals) agree(
	ctx context.Context, m intent.Message, p workflow.Person, q question,
) (e endorsed, waits []store.Part, err error) {
	report, err := ap.Store.Report(ctx, ap.Session().ID, q.revision)
	if err != nil {
		return e, nil, err
	}
	by := permission.Asker{Message: m.Message, Person: p}
	about := subject{Report: report, Subjects: []string{q.subject}, Files: q.files}
	e, err = ap.endorse(ctx, by, about, "", q.permit)
	switch {
	case err != nil:
		return e, ap.refuseUncounted(m, p, err), nil
	case e.Complete():
		for _, x := range e.By[:len(e.By)-1] { // asked again, all have to say so again
			e.parts = append(e.parts, consent.EndorsementEnd{
				Endorsements: []workflow.Endorsement{x}, Why: workflow.EndorsementUsed,
			})
		}
		return e, nil, nil
	case e.again:
		return e, ap.Refuse(m, p, q.decide, "said already by this person",
			fmt.Sprintf("You have agreed already%s. %s", e.So(), e.Still())), nil
	}
	said := strings.Join(append(e.Lost, fmt.Sprintf("%s. Agreed by %s%s.", strings.TrimSuffix(q.what, "."),
		plaintext.And(e.Names()), e.So()), e.Still()), " ")
	var buttons []workflow.Button
	if q.button.ActionID != "" {
		buttons = append(buttons, q.button)
	}
	lines := ap.ProgramLine(said, buttons...)
	lines[0].Mentions = e.Mentions
	return e, slices.Concat(ap.Ignore(m), e.parts, []store.Part{store.Replies(lines), consent.Decision{
		What: q.decide, Allowed: true, Reason: strings.TrimSpace(q.reason + e.So()), User: p.ID,
		MessageTS: m.TS, Revision: q.revision,
	}}), nil
}
