package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Permission is one person's consent, made from one message or one button press of
// that person. Everything that lets work begin, continue or go out names a
// Permission. The database refuses one whose person is not the author of its message.
type Permission struct {
	ID        string
	What      PermissionKind
	Revision  int    // newest revision that the thread was shown; 0: none yet
	Message   int64  // id of the inbox row that it is made from
	MessageTS string // ts of that message, or of the message whose button was pressed
	User      string
	UserName  string
	// RestsOn holds the ids of other inbox rows: the messages that
	// a request is made of, or that were adopted.
	RestsOn []int64
	At      time.Time
}

// PermissionKind is what a permission allows.
type PermissionKind string

// The kinds of permission.
const (
	PermitReport        PermissionKind = "report"        // to fix what a root cause or a diagnosis describes
	PermitPlan          PermissionKind = "plan"          // to do what a written plan says
	PermitUnderstanding PermissionKind = "understanding" // to build what an interview concluded
	// to build what was asked for, as the bot restated it
	PermitRequest PermissionKind = "request"
	PermitResume  PermissionKind = "resume" // to continue work that was stopped
	PermitAdopt   PermissionKind = "adopt"  // to adopt another person's words
	PermitPush    PermissionKind = "push"   // to push a change that affects more than the code
	PermitLimit   PermissionKind = "limit"  // to use more than a limit allows
	// to put back code that was removed as outside the scope of an approval
	PermitPutBack  PermissionKind = "put_back"
	PermitBackport PermissionKind = "backport" // to bring a pushed change to a release
	PermitFile     PermissionKind = "file"     // to file an issue
	PermitMove     PermissionKind = "move"     // to go on in another channel
)

// An Approval records that a person approved one revision of a report. Only the program creates one.
type Approval struct {
	ID string
	// id of the Permission that it was made from; empty in a row from before permissions existed
	Permission string
	Session    string
	Revision   int
	ReportHash string
	BaseCommit string
	User       string
	UserName   string
	// see workflow.Person
	Credit string
	// limits the approval to a part of the report; empty: all of it
	Scope     string
	MessageTS string
	At        time.Time
	// how many distinct people have to approve; 0: one
	Needed int
	// names of those who did and still count, in order
	By []string
}

// Names returns the names of the people who approved: "ann", "ann and bea".
func (a Approval) Names() string {
	if len(a.By) == 0 {
		return a.UserName
	}
	return plaintext.And(a.By)
}

// An Endorsement is one person's word for a subject of a revision. As many distinct people's as the
// repository demands make an Approval, or what else the subject is.
type Endorsement struct {
	Permission string // id of the Permission that it was made from
	Session    string
	Revision   int
	Subject    string // empty: the revision; otherwise as one of the functions below makes it
	User       string
	UserName   string
	Credit     string // see Person
	Scope      string // limits the approval to a part of the report; empty: all of it
	MessageTS  string
	At         time.Time
}

// Inherited returns the word of an approval from before permissions existed, of which there is no row.
func (a Approval) Inherited() Endorsement {
	return Endorsement{
		Session: a.Session, Revision: a.Revision, User: a.User, UserName: a.UserName, Credit: a.Credit,
		Scope: a.Scope, MessageTS: a.MessageTS, At: a.At,
	}
}

// EndorsementEnd says why a person's word does not count any more.
type EndorsementEnd string

// Why a person's word does not count any more.
const (
	EndorsementTakenBack EndorsementEnd = "taken back"
	EndorsementEdited    EndorsementEnd = "edited"
	EndorsementDeleted   EndorsementEnd = "deleted"
	EndorsementReplaced  EndorsementEnd = "replaced" // by a newer word of the same person
	EndorsementUsed      EndorsementEnd = "used"     // it was done; to have it done again takes new words
	EndorsementRefused   EndorsementEnd = "may not approve"
)

// TreeSubject returns the subject of a word for exactly the files of a tree, before they are pushed.
func TreeSubject(tree string) string { return "tree " + tree }

// BackportSubject returns the subject of a word for bringing a pushed commit to a release, as that branch.
func BackportSubject(branch, commit string) string { return "backport " + branch + " " + commit }

// RemovalSubject returns the subject of a word for putting back what was taken out of a change.
func RemovalSubject(hash string) string { return "removal " + hash }

// DecisionKind is what a message or a press asked for.
type DecisionKind string

// ShownReason returns the reason of such a decision as text of Slack. Where it is the ids of those who were
// called, the text mentions them, so that it can be shown with names.
func (k DecisionKind) ShownReason(reason string) string {
	if k != DecideRequest && k != DecideMention {
		return reason
	}
	ids := strings.Fields(reason)
	for i, id := range ids {
		if strings.HasPrefix(id, "S") {
			ids[i] = "<!subteam^" + id + ">"
		} else {
			ids[i] = "<@" + id + ">"
		}
	}
	return strings.Join(ids, " ")
}

// The kinds of decision.
const (
	DecideApprove    DecisionKind = "approve"      // to approve a report
	DecideConfirm    DecisionKind = "confirm"      // to begin with a request as it was restated
	DecideNarrow     DecisionKind = "narrow"       // to limit an approval; the reason is the limit
	DecideRequest    DecisionKind = "request"      // to ask somebody for an approval
	DecidePush       DecisionKind = "push"         // to push what the approval does not suffice for
	DecideObject     DecisionKind = "object"       // to object to what was approved
	DecideStop       DecisionKind = "stop"         // to stop
	DecideResume     DecisionKind = "resume"       // to continue work that was stopped
	DecideAdopt      DecisionKind = "adopt"        // to adopt another person's words
	DecideSpeak      DecisionKind = "speak"        // to have the agents read a message
	DecidePutBack    DecisionKind = "put_back"     // to put back what was removed
	DecideAskPutBack DecisionKind = "ask_put_back" // to ask for that
	DecideBackport   DecisionKind = "backport"     // to bring a pushed change to releases
	DecideFile       DecisionKind = "file"         // to file an issue; the program: it was filed
	DecideFixThere   DecisionKind = "mend"         // to fix what is red at the git host
	DecideMergeBase  DecisionKind = "merge_base"   // to merge the base branch into a pushed one
	DecideAllow      DecisionKind = "allow"        // to use more than a limit allows
	DecideLimit      DecisionKind = "limit"        // the program: a limit was reached
	DecideRepository DecisionKind = "repository"   // to choose another repository
	DecideBase       DecisionKind = "base"         // to choose another branch or tag to work from
	DecideMove       DecisionKind = "move"         // to go on in another channel
	DecideJoin       DecisionKind = "join"         // to join the thread to another one
	DecideLesson     DecisionKind = "lesson"       // to remember or to change a lesson
	DecideWrapUp     DecisionKind = "wrap_up"      // to end an interview
	DecideNotForMe   DecisionKind = "not_for_me"   // the orchestrator: nobody asks for anything here
	DecideMention    DecisionKind = "call owners"  // the program: people who know the code were mentioned
)

// A Decision records a message or button press that asked for something, and whether it was allowed.
type Decision struct {
	What      DecisionKind
	Allowed   bool
	Reason    string
	User      string
	MessageTS string
	Revision  int
}

// An Allowance is a person's permission to push a change for which the approval does not suffice, for the
// reasons that it names. It is asked for when the work is finished, and holds for exactly the files of Tree.
// While User is empty, it has only been asked for.
type Allowance struct {
	ID           string
	Approval     string
	Tree         string
	Names        string   // what the thread was asked about, word for word
	Paths        string   // the changed paths that decide more than the code, one per line
	Unproven     string   // why nothing can be proven of these files; empty: they are proven
	Objections   []int64  // the objections that it overrules
	Expectations string   // the expectations of tests that changed, one per line
	Missing      string   // who has to allow it beside those who approved, one per line
	Files        []string // the changed paths for which a group has to be among those who do
	CI           CIProof  // what CI is offered to prove; once the allowance is given: what it may prove
	Credit       string   // of the person who gives it (see Person)
	User         string
	UserName     string
	MessageTS    string
}

// A CIProof is what the checks of a git host prove, where nothing can be proven on this machine.
type CIProof string

// What CI proves.
const (
	CINone  CIProof = ""    // nothing
	CIGreen CIProof = "on"  // the checks of the pushed commit have to pass
	CIRed   CIProof = "red" // and one of them has to fail on a branch with the new tests alone
)

// An Objection is what a person has against approved work that is not pushed yet. It keeps the work from
// being pushed until that person takes it back, or an Allowance names it.
type Objection struct {
	ID        int64
	Approval  string // empty: not enough people have approved the revision yet
	Revision  int    // that it is to, if it came before the approval; otherwise 0
	Message   int64  // id of the inbox row: a message, a reaction, an edit or a deletion
	MessageTS string // ts of the message that objects, was reacted to, edited or deleted
	User      string
	UserName  string
	How       ObjectionKind
	Words     string // in one line, cut; the name of the emoji for a reaction
	At        time.Time
}

// ObjectionKind says how a person objected.
type ObjectionKind string

// The kinds of objection. The last two void the approval that was edited or
// deleted, and cannot be taken back.
const (
	ObjectionByMessage  ObjectionKind = "message"
	ObjectionByReaction ObjectionKind = "reaction"
	ObjectionByEdit     ObjectionKind = "edit"
	ObjectionByDeletion ObjectionKind = "deletion"
)

// String says in a few words who objects to what.
func (o Objection) String() string {
	switch o.How {
	case ObjectionByReaction:
		return o.UserName + " reacted with :" + o.Words + ":"
	case ObjectionByEdit:
		return o.UserName + ` edited the approval to "` + o.Words + `"`
	case ObjectionByDeletion:
		return "The approval of " + o.UserName + " was deleted"
	}
	return o.UserName + `: "` + o.Words + `"`
}

// Approvers says who may approve work in a repository.
type Approvers struct {
	// Slack user ids; empty: any full member of the workspace who is in the channel
	People             []string
	OtherThanRequester bool
	Needed             int    // distinct people who have to approve; 0: one
	Needs              []Need // groups that have to be among them
	// a repository that the configuration does not name any more: nobody can approve
	Missing string
}

// Why a person may not approve, where that is about the approvers of the repository.
const (
	WhyRequester = "somebody other than the person who asked has to approve"
	WhyNotNamed  = "this repository names its approvers"
)

// MayApprove returns why p may not approve work that the requesters asked for, or an empty string if p may.
func (a Approvers) MayApprove(p Person, requesters ...string) string {
	switch {
	case p.Bot:
		return "bots cannot approve"
	case p.Via == ThroughForm:
		return "a form posted that, and forms approve nothing: press the button, or write it yourself"
	case p.Via != "":
		return "the app " + p.Via + " posted that, and apps cannot approve for people: press the button, " +
			"or write it yourself"
	case p.Deleted:
		return "that account is deactivated"
	case p.Stranger:
		return "people from another workspace cannot approve"
	case p.Guest:
		return "guests cannot approve"
	case a.Missing != "":
		return "the configuration names no repository " + a.Missing + " any more"
	case !p.InThread:
		return "only members of this channel can approve"
	case a.OtherThanRequester && slices.Contains(requesters, p.ID):
		return WhyRequester
	case len(a.People) > 0 && !slices.Contains(a.People, p.ID):
		return WhyNotNamed
	}
	return ""
}

// Who says in a sentence who may approve.
func (a Approvers) Who() string {
	if a.Missing != "" {
		return "Nobody can until my operator names " + a.Missing + " in the configuration again."
	}
	who := "Any full member of the workspace who is in this channel can"
	if len(a.People) > 0 {
		who = "The approvers of this repository can"
	}
	return who + a.Limits() + "."
}

// Limits says, as the end of a sentence, what else an approval needs.
func (a Approvers) Limits() (limits string) {
	if a.OtherThanRequester {
		limits = ", except the person who asked"
	}
	if a.Needed > 1 {
		limits += fmt.Sprintf("; %d of them have to", a.Needed)
	}
	return limits
}

// A Need says that somebody of a group has to be among the approvers of a change to some files.
type Need struct {
	Name  string   // how people call the group
	Files string   // pattern of paths
	From  []string // Slack ids of people and user groups
}

// Who names the group.
func (n Need) Who() string {
	if n.Name == "" {
		return "somebody of the group for `" + n.Files + "`"
	}
	return "somebody of " + n.Name
}

// A Removal is the part of a change that the program took out because it lies outside the scope of
// the approval. A person who may approve can have exactly this part, named by its hash, put back.
type Removal struct {
	Hash     string
	Approval string
	Revision int   // revision that the approval is of
	Task     int64 // task whose claim it was taken out of; 0: the work as a whole
	Hunks    []RemovedHunk
	With     string // the tree before the removal
	Without  string // the tree after the removal
	Pack     []byte // git objects with which any machine can write both trees
	// User and UserName are of the person who had it put back, by
	// the message MessageTS; all are empty before that.
	User, UserName, MessageTS string
	Restored                  bool // it is in the files again, or the agent was told to make it again
}

// A RemovedHunk is one place of a change that was taken out.
type RemovedHunk struct {
	Place string // `path:line` +2 −1
	Why   string // in one line
	Text  string // unified diff
	Sum   string // hash of the path and the changed lines, wherever in the file they are
}

// RemovalHash returns the hash of an approval and of the trees with and without what is taken out.
func RemovalHash(approval, with, without string) string {
	sum := sha256.Sum256([]byte(approval + "\x00" + with + "\x00" + without))
	return hex.EncodeToString(sum[:])
}

// HunkSum returns the hash of a hunk. It stays the same when the hunk moves within its file.
func HunkSum(path, kind, mode, text string) string {
	changed := []string{path, kind, mode}
	for _, line := range strings.Split(text, "\n") {
		if kind != "modified" || strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			changed = append(changed, line)
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(changed, "\n")))
	return hex.EncodeToString(sum[:])
}

// maxRemoved is how many places of a removal are listed; the others are only counted.
const maxRemoved = 20

// List returns one line for each place, with the reason.
func (r Removal) List() string {
	return "  • " +
		strings.Join(r.each(func(h RemovedHunk) string { return h.Place + ": " + h.Why }), "\n  • ")
}

// Places returns the places in one line.
func (r Removal) Places() string {
	return strings.Join(r.each(func(h RemovedHunk) string { return h.Place }), ", ")
}

// each returns what say returns for each of the first places, and how many more places there are.
func (r Removal) each(say func(RemovedHunk) string) (texts []string) {
	for _, h := range r.Hunks[:min(len(r.Hunks), maxRemoved)] {
		texts = append(texts, say(h))
	}
	if more := len(r.Hunks) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return texts
}

// Diff returns what was taken out as text, each hunk below its place.
func (r Removal) Diff() string {
	var b strings.Builder
	for _, h := range r.Hunks {
		fmt.Fprintf(&b, "%s\n%s\n", h.Place, strings.TrimRight(h.Text, "\n"))
	}
	return b.String()
}
