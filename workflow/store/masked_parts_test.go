package store_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/ciproof"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
)

// A maskedPart is a part with the fields that keep a secret when the part is masked.
type maskedPart struct {
	part record.Part
	kept map[string]string // the fields, separated by spaces, by the reason
}

// keeps returns the fields in order.
func (m maskedPart) keeps() []string {
	var fields []string
	for _, f := range m.kept {
		fields = append(fields, strings.Fields(f)...)
	}
	slices.Sort(fields)
	return fields
}

// Why a field stays as it is.
const (
	anID     = "an id, a ts or a key"
	aHash    = "the hash of a commit, of a tree or of a text"
	aName    = "the name of a person, an agent or a repository, or a word of the program, such as a state"
	aPath    = "a path of the repository or a branch, by which a file or a ref is found again"
	verbatim = "it is compared with what people wrote or a runner named, word for word"
	isRun    = "it is run as it is, and shown only by lines, which are masked"
	packed   = "git objects or a picture, which are no text"
	notHere  = "it is not written by this part"
	ofModel  = "the model's own message, whose calls are carried out as they are"
)

// maskedParts lists all parts. A new part needs a row here.
func maskedParts() []maskedPart {
	all := slices.Concat(consentParts(), progressParts(), inboxParts(), threadParts(), sideParts())
	for _, p := range store.InternalParts() {
		all = append(all, maskedPart{p, nil})
	}
	return all
}

type kept = map[string]string

// ticketKept are the fields of a ticket that stay as they are.
var ticketKept = kept{anID: "Key Issue", aName: "Repository Place Tracker"}

func consentParts() []maskedPart {
	return []maskedPart{
		{consent.Allowance{}, kept{
			anID: "ID Approval User MessageTS", aHash: "Tree", aName: "UserName Credit CI", aPath: "Files",
		}},
		{consent.Disclosure{}, kept{
			anID: "ID User MessageTS", aHash: "Tree", aName: "Repository UserName Choice",
		}},
		{consent.Amendment{}, kept{anID: "MessageTS User", aName: "UserName"}},
		{consent.Approval{}, kept{
			anID:  "ID Permission Session User MessageTS",
			aHash: "ReportHash BaseCommit",
			aName: "UserName Credit By",
		}},
		{consent.Endorsement{}, kept{
			anID: "Permission Session User MessageTS", aName: "UserName Credit", aHash: "Subject",
		}},
		{consent.EndorsementEnd{}, kept{
			anID:  "Endorsements.Permission Endorsements.Session Endorsements.User Endorsements.MessageTS",
			aName: "Endorsements.UserName Endorsements.Credit Why", aHash: "Endorsements.Subject",
			notHere: "Endorsements.Scope",
		}},
		{consent.Decision{}, kept{anID: "User MessageTS", aName: "What"}},
		{consent.Extension{}, kept{anID: "Subject Day User MessageTS", aName: "Limit UserName"}},
		{consent.Narrowing{}, kept{anID: "User MessageTS"}},
		{consent.Objection{}, kept{anID: "Approval MessageTS User", aName: "UserName How"}},
		{consent.Withdrawal{}, kept{anID: "User"}},
		{consent.Permission{}, kept{anID: "ID MessageTS User Adopts", aName: "What UserName"}},
		{consent.Push{}, kept{
			anID: "Approval", aHash: "Commit Tree BaseCommit ReportHash", aPath: "Branch", aName: "State",
		}},
		{consent.Removal{}, kept{
			anID: "Approval User MessageTS", aName: "UserName", aHash: "Hash With Without Hunks.Sum",
			aPath: "Hunks.Place", packed: "Pack",
		}},
		{consent.Restored(""), kept{aHash: "itself"}},
		{consent.Report{}, kept{anID: "Session AskedBy", aHash: "BaseCommit", aName: "Kind Credits"}},
	}
}

func progressParts() []maskedPart {
	return []maskedPart{
		{progress.AgentUsage{}, nil},
		{progress.Answer{}, kept{anID: "User"}},
		{progress.Attempt{}, kept{aHash: "Tree"}},
		{progress.ChangedAnswer{}, kept{anID: "User"}},
		{progress.Check{}, kept{verbatim: "Red"}},
		{progress.Command{}, nil},
		{progress.NumberedCheck{}, kept{notHere: "Command"}},
		{progress.Inquiry{}, kept{anID: "Session Key By", aName: "Kind"}},
		{progress.InquiryCost{}, nil},
		{progress.StoppedInquiries{}, nil},
		{progress.ResumedInquiries{}, nil},
		{progress.Lookback{}, kept{
			anID: "Session Key", aName: "Repository", aHash: "Base", isRun: "Probe",
			notHere: "Found.First Found.Since " + prefixed("Found.Own.", "Name Answer Files") + " " +
				prefixed("Found.Releases.", "Name Commit Answer Why"),
		}},
		{progress.NoSnapshot{}, nil},
		{progress.StoppedLookbacks{}, nil},
		{progress.Question{}, kept{anID: "Session"}},
		{progress.RepositoryRead{}, kept{aName: "Repository", aPath: "Branch", aHash: "Commit"}},
		{progress.Snapshot{}, kept{aHash: "Tree", packed: "Pack"}},
		{progress.Task{}, kept{anID: "Call Session", aName: "Category Skill State", aHash: "StartTree Tree"}},
		{progress.TestCommand{}, kept{
			aName: "Repository", aPath: "Folder", isRun: "Command", notHere: "Person Session",
		}},
		{progress.Transcript{}, nil},
		{
			progress.Transcript{
				Items: []json.RawMessage{message("user"), message("tool"), message("folded")},
			},
			nil,
		},
		{progress.Transcript{Items: []json.RawMessage{message("assistant")}}, kept{ofModel: "Items"}},
		{
			progress.TriedHunks{},
			kept{aHash: "Base Tree Hunks.Sum", aPath: "Hunks.Path", aName: "Hunks.Verdict"},
		},
	}
}

// message returns a message of a conversation with the secret in its text.
func message(role string) json.RawMessage {
	return json.RawMessage(`{"role":"` + role + `","text":"it is ` + secret + `","call_id":"1"}`)
}

func inboxParts() []maskedPart {
	text := workflow.Attachment{Media: workflow.MediaText}
	return []maskedPart{
		{inbox.AgentNote{}, kept{anID: "Key By"}},
		{inbox.Attachments{text}, kept{anID: "Message File URL", aName: "Kind Mode State"}},
		{
			inbox.Attachments{},
			kept{anID: "Message File URL", aName: "Kind Mode State Media", packed: "Content"},
		},
		{inbox.CompletedText{}, kept{verbatim: "Text"}},
		{inbox.Earlier{}, kept{
			verbatim: "Text", anID: "User TS",
			notHere: "Name Edited SkippedBy " +
				prefixed("Files.", "Message File Name Kind Mode URL State Why Media Content"),
		}},
		{inbox.Handled{}, nil},
		{inbox.NewPart{}, kept{aName: "Repository"}},
		{inbox.Passed{}, nil},
		{inbox.PressedElsewhere{}, kept{anID: "Session " + prefixed("Press.", "EventID TS User UserTeam")}},
		{inbox.SplitAlert{}, kept{
			verbatim: "Alert.Text",
			anID: "Alert.Thread Alert.TS Alert.Fingerprint Thread.Team Thread.Channel Thread.TS " +
				prefixed("Press.", "User UserTeam"),
			aName: "Alert.App Alert.Repository Agent",
		}},
		{inbox.Withdrawn(""), kept{anID: "itself"}},
	}
}

// lineKeeps are the fields of a line in the thread that stay.
func lineKeeps(at string) kept {
	return kept{
		aName: prefixed(at, "Agent Buttons.ActionID Buttons.Style Files.Snippet Code.Repository "+
			"Code.Others.Repository"),
		anID:   prefixed(at, "Mentions Buttons.Value"),
		packed: prefixed(at, "Files.Data"),
		aHash:  prefixed(at, "Code.Commit Code.Others.Commit"),
		aPath:  prefixed(at, "Code.Places Code.Others.Places"),
	}
}

// prefixed puts a prefix before each of the fields.
func prefixed(prefix, fields string) string {
	all := strings.Fields(fields)
	for i, f := range all {
		all[i] = prefix + f
	}
	return strings.Join(all, " ")
}

func threadParts() []maskedPart {
	private := lineKeeps("Line.")
	private[anID] += " Key User"
	reworded := lineKeeps("Line.")
	joined := lineKeeps("Line.")
	reworded[aName] += " ActionID Label"
	for why, fields := range lineKeeps("BelowTalk.Line.") {
		reworded[why] += " " + fields
	}
	reworded[anID] += " BelowTalk.Key BelowTalk.User"
	joined[anID] += " Other By"
	sign := lineKeeps("Line.")
	sign[anID] += " Of"
	moveOrder := kept{anID: moveIDs("Move.") + " ", aName: prefixed("Move.", "Name State UserName") + " "}
	for _, line := range []string{"Begin.", "Leave."} {
		for why, fields := range lineKeeps(line) {
			moveOrder[why] += " " + fields
		}
	}
	return []maskedPart{
		{store.Hint{}, kept{anID: "Key User"}},
		{store.PrivateLine{}, private},
		{store.Lines{}, lineKeeps("")},
		{store.Replies{}, lineKeeps("")},
		{store.Reworded{}, reworded},
		{store.JoinedDuplicate{}, joined},
		{store.Sign{}, sign},
		{store.MoveOffered{}, kept{anID: moveIDs(""), aName: "Name State UserName"}},
		{store.MoveOrder{}, moveOrder},
		{store.Update{}, kept{
			anID: prefixed("Change.", "ID Thread.Team Thread.Channel Thread.TS Requester Halted PartOf "+
				"Left.Team Left.Channel Left.TS Left.Newest"),
			aName: "Events OptionalEvents " +
				prefixed("Change.", "Kind Phase PreviousPhase Trouble Workflow ReportKind Repository Before"),
			aHash: "Change.BaseCommit Change.Head", aPath: "Change.Branch Change.BaseBranch Change.PullInto",
		}},
	}
}

// moveIDs returns the fields of a move that name threads. The link of one has no secret.
func moveIDs(prefix string) string {
	return prefixed(prefix, "From.Team From.Channel From.TS Channel Link TS")
}

func sideParts() []maskedPart {
	return []maskedPart{
		{backports.Order{}, kept{
			anID:     "User MessageTS",
			aName:    "Repository UserName Credit",
			aPath:    "Branch",
			aHash:    "Pushed Base",
			verbatim: "Wanted",
		}},
		{backports.Stop{}, nil},
		{backports.Withdraw{}, kept{anID: "MessageTS"}},
		{ciproof.Order{}, kept{
			anID:  "Allowance",
			aName: "Repository Base",
			aPath: "Branch Tests TestsBranch",
			aHash: "Commit BaseCommit",
		}},
		{ciproof.Stop{}, nil},
		{merges.Order{}, kept{
			aName: "Repository Base",
			aPath: "Branch Files Clashes",
			aHash: "Ours Theirs Common",
		}},
		{merges.Merged{}, kept{aHash: "Tree"}},
		{merges.Told{}, kept{aName: "Repository Base", aPath: "Branch Files", aHash: "Head Onto"}},
		{merges.Retargeted{}, kept{aName: "Repository Branch Base"}},
		{merges.Watch{}, kept{aName: "Repository Base", aPath: "Branch", aHash: "Head"}},
		{store.DuplicatesAnnounced{}, kept{anID: "Session"}},
		{store.ReportText{}, kept{aName: "Repository"}},
		{store.UnjoinedDuplicate{}, nil},
		{lessons.Forgotten{}, kept{aName: "Repository"}},
		{lessons.Noted{}, kept{anID: "Person", aName: "Repository", aPath: "Folder"}},
		{lessons.Seen{}, kept{anID: "Key Person", aName: "Repository", aPath: "Folder"}},
		{store.PauseAnnounced{}, kept{anID: "Name", aName: "Scope By"}},
		{store.PictureRequest{}, kept{
			anID: "Session Key", aName: "Repository", aHash: "Base Commit", aPath: "Changed",
		}},
		{store.PicturesStopped{}, nil},
		{pullrequest.Intent{}, kept{
			aName: "Repository Papers.What Papers.Names", aPath: "Branch Base Files", aHash: "Head",
		}},
		{pullrequest.NameInThread{}, nil},
		{pullrequest.Checked{}, kept{aName: "Repository", aPath: "Branch", aHash: "Head"}},
		{ticket.Offer{}, ticketKept},
		{ticket.Order{}, ticketKept},
		{ticket.Comment{}, ticketKept},
		{ticket.Stop{}, nil},
		{pullrequest.Remark{}, kept{anID: "ID User", aName: "Login"}},
		{store.UsageTotal{}, nil},
		{store.Usage{}, nil},
		{store.LimitWarning{}, kept{anID: "Subject Day", aName: "Limit"}},
	}
}
