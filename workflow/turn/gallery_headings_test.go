package turn

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// headings tells what each place in the code shows that says something. A place is a function; the second
// one in it has the suffix -b, and so on. The headings name the files of the gallery: after a function was
// renamed, only its line here changes.
var headings = map[string]string{
	"Add":                    "an objection is quoted",
	"Add-b":                  "an objection is noted",
	"Adopt":                  "the thread above cannot be read",
	"AfterPush":              "an objection after the push",
	"AllowPush":              "a word on a push is refused",
	"allowanceParts":         "a push is allowed",
	"Answered":               "who knows a file",
	"Approve":                "an approval while a remark is read",
	"Approve-b":              "an approval without a report",
	"Approve-c":              "an approval of an older revision",
	"Approve-d":              "an approval from before the report",
	"Ask":                    "a question",
	"AskAllowance":           "a push needs a permission",
	"AskConsent":             "is this an approval",
	"Backport":               "a backport is refused to a person",
	"Blocked":                "the work is blocked",
	"CheckLimits":            "near a limit",
	"ConfirmUnderstanding":   "a confirmation is refused",
	"ConfirmUnderstanding-b": "the understanding is confirmed",
	"Consult":                "a reader is asked by a person",
	"FixChecks":              "a fix of checks is refused",
	"GiveUp":                 "a turn failed",
	"GoOn":                   "shall stopped work go on",
	"HoldRemark":             "a remark on a pull request waits",
	"AlsoHold":               "a message waits for an approver",
	"Join":                   "a thread is joined already",
	"Join-b":                 "a thread is joined",
	"JudgeAll":               "a press that does not count any more",
	"Withdraw":               "an objection is taken back",
	"tellAboutBase":          "the base conflicts",
	"turnStrangerAway":       "a stranger is refused",
	"Keep":                   "how tests are run",
	"Narrow":                 "an approval is narrowed",
	"Parts":                  "an edit after the push",
	"Parts-b":                "an approval is taken back by an edit",
	"PassOn":                 "passing on is refused",
	"PassOn-b":               "passing on from before a stop",
	"PassOn-c":               "a message is passed on",
	"PutBack":                "putting back is refused",
	"RefusePress":            "a press by a person who may not approve",
	"RefuseSecrets":          "a commit with a secret is refused",
	"RefuseUnknown":          "a person whom Slack does not know",
	"Reopen":                 "a message from before a stop",
	"Reply":                  "an answer",
	"Resume":                 "going on is refused",
	"Resume-b":               "nothing is stopped",
	"Resume-c":               "going on from before a later stop",
	"SayUnlessNewest":        "taken out by the folder of the work",
	"TakeUp":                 "taking up from before a later stop",
	"Unjoin":                 "a joined thread goes on",
	"AskWithdrawal":          "was a withdrawal meant",
	"unreadIssue":            "an issue cannot be read",
	"sayFailed":              "a source cannot be asked",
	"acquireSlot":            "a session waits for its place",
	"advise":                 "advice",
	"answerOpen":             "a question at a limit",
	"answerOwners":           "which file is meant",
	"answerParts":            "an explanation without a change",
	"answerParts-b":          "a reader without an answer",
	"applyAdvice":            "advice is applied",
	"approvalParts":          "a report is approved",
	"askAgain":               "a question again",
	"askConfirmation":        "is this a confirmation",
	"askConsultant":          "the consultant is asked",
	"askRepository":          "no repository is configured",
	"askRepository-b":        "no repository is open to the channel",
	"askRepository-c":        "which repository",
	"askToPutBack":           "a request to put back is repeated",
	"askToPutBack-b":         "a request to put back",
	"askWhatNow":             "the attempts failed",
	"attemptFailed":          "an attempt failed",
	"attemptHeld":            "a task is done",
	"backportParts":          "a backport was asked for before",
	"backportParts-b":        "a backport begins",
	"beginWork":              "a request needs an approval",
	"blockedLine":            "the work is blocked, with buttons",
	"bumpResult":             "a version was changed",
	"change":                 "a lesson that is not there",
	"change-b":               "too many lessons",
	"change-c":               "a lesson is too long",
	"change-d":               "a lesson is known already",
	"change-e":               "lessons are changed",
	"chooseRepository":       "another repository after the approval",
	"chooseRepository-b":     "the same repository",
	"chooseRepository-c":     "a repository is chosen",
	"endNowhere":             "a task got nowhere",
	"ensureTasks":            "tasks",
	"escalate":               "attempts are escalated",
	"explainHunks":           "the change is explained",
	"extensionParts":         "a limit is raised",
	"fetchPackages":          "packages are missing",
	"fetchPackages-b":        "packages are of this machine",
	"fetchPackages-c":        "packages are fetched",
	"fixBase":                "the repository is opened",
	"giveToWork":             "a message is given to a task",
	"giveUpTasks":            "the tasks ended without a result",
	"hint":                   "a reaction approves nothing",
	"judge":                  "a lesson without a repository",
	"judge-b":                "a lesson is refused",
	"judgeCommand":           "a command during work",
	"judgeCommand-b":         "a command without words",
	"judgeCorrection":        "a correction",
	"judgeEdit":              "an edited message",
	"judgeGoOn":              "more is refused",
	"judgeOption":            "an option of an old question",
	"judgeOutcome":           "it works",
	"judgeOutcome-b":         "it is still broken",
	"notLookedAt":            "a part of a long thread was not read",
	"otherThread":            "another thread was read",
	"proposePlan":            "a plan",
	"restate":                "a request as understood",
	"restate-b":              "the planning begins",
	"answerEndedRun":         "a stop of a run that is over",
	"judgeRemark":            "a remark on a backport",
	"judgeSent":              "a request from the home tab is refused",
	"turnGuestAway":          "a request is refused",
	"layRemoval":             "what was taken out cannot be put back",
	"learned":                "lessons are used",
	"leaveDecision":          "a stop without work",
	"limitTooLate":           "a limit comes too late",
	"lineThere":              "the other thread is joined",
	"list":                   "no lessons",
	"list-b":                 "lessons",
	"mayDecide":              "a decision is refused",
	"fixParts":               "a fix of red checks begins",
	"mergeBase":              "the base is merged",
	"mergeConflicts":         "a task conflicts",
	"nameThreads":            "a stop in the channel",
	"offerDefaults":          "default answers are offered",
	"offerForm":              "a form for the repository",
	"offerForm-b":            "a form for the limit",
	"offerForm-c":            "details",
	"offerForm-d":            "a form for what is wrong",
	"passStop":               "a stop of a thread without work",
	"passStop-b":             "a thread is told to stop",
	"pauseAtLimit":           "paused at a limit",
	"publish":                "a backport is pushed",
	"publishCommit":          "the change is pushed",
	"putBackParts":           "a hunk is put back",
	"putBackPushed":          "what was taken out is put back after the push",
	"readNotice":             "an attachment was read",
	"reactedAgainst":         "a reaction is an objection",
	"recheckMessage":         "the approval was taken back",
	"refuse":                 "no backport",
	"refuseAgain":            "a second approval",
	"refuseEdited":           "a message that cannot be read again",
	"refuseEdited-b":         "a message that was edited before it was read",
	"requestApproval":        "an approval is refused",
	"requestApproval-b":      "an approval is asked for again",
	"requestApproval-c":      "an approval is asked for",
	"restPaused":             "work is paused by the operator",
	"reviewChange":           "the review",
	"sayDiskFailed":          "the disk is full",
	"sayFolded":              "the conversation was shortened",
	"sayFolderMissing":       "the folder of the channel is missing",
	"sayModelFailed":         "the model could not answer",
	"sayNotConfigured":       "the repository is not configured any more",
	"sayPushFailed":          "the push failed",
	"sayRemoteFailed":        "the repository cannot be reached",
	"sayRetry":               "the model is asked again",
	"sayStillFetching":       "packages are still being fetched",
	"sayStranded":            "the agent got nowhere",
	"setAside":               "a message is set aside",
	"showPictures":           "pictures",
	"showReport":             "a report",
	"showUnderstanding":      "a shared understanding",
	"silenceLine":            "still at work",
	"splitAlert":             "a guest names another problem",
	"splitAlert-b":           "an alert has a thread already",
	"splitAlert-c":           "an alert is another problem",
	"stopParts":              "stopped already",
	"stopParts-b":            "stopped",
	"takeDefault":            "nobody answered a question",
	"takeDefaults":           "default answers are refused",
	"takeOutHunks":           "taken out by the limit of the approval",
	"takeUp":                 "is a stopped report taken up",
	"tell":                   "since when it is broken",
	"tickPlan":               "a plan is ticked off",
	"record":                 "what a message points at was read",
	"followLink":             "a link to a message cannot be followed",
	"tellReferences":         "a reference cannot be read",
	"tellLeft":               "a message points at too much",
	"judgeApp":               "an app is turned away",
	"unheardNotice":          "a clip could not be heard",
	"unseenNotice":           "an attachment could not be read",
	"unseenNotice-b":         "a picture cannot be seen",
	"warmUp":                 "a limit stops a test",
	"warmUp-b":               "the tests did not start",
	"warmUp-c":               "most tests skip",
	"findServices":           "the image of a repository is missing",
	"findServices-b":         "a service is another version",
	"sayServices":            "a service did not start",
	"sayTold":                "a said test command does not start",
	"takeTestCommand":        "a test command cannot be said",
	"takeTestCommand-b":      "a test command is said",
}

// misnamed returns what is wrong with the headings of the places that say something, one line each.
func misnamed(places, headings map[string]string) (wrong []string) {
	used := map[string]string{}
	for _, place := range slices.Sorted(maps.Keys(places)) {
		heading := headings[place]
		switch {
		case heading == "":
			wrong = append(wrong,
				fmt.Sprintf("%s says %q, and has no heading: add what it shows to headings in "+
					"workflow/turn/gallery_headings_test.go", place, places[place]))
		case used[heading] != "":
			wrong = append(wrong, fmt.Sprintf("%s and %s have the heading %q", used[heading], place, heading))
		}
		used[heading] = place
	}
	for _, place := range slices.Sorted(maps.Keys(headings)) {
		if _, there := places[place]; !there {
			wrong = append(wrong,
				fmt.Sprintf("%s says nothing any more: remove its heading %q, or write the "+
					"function's new name", place, headings[place]))
		}
	}
	return wrong
}

func TestAPlaceWithoutAHeadingIsFound(t *testing.T) {
	t.Parallel()
	places := map[string]string{"hello": "Hello, ann.", "hello-b": "Bye."}
	require.Empty(t, misnamed(places, map[string]string{"hello": "a greeting", "hello-b": "a farewell"}))
	require.Equal(t, []string{
		`hello-b says "Bye.", and has no heading: add what it shows to headings in ` +
			"workflow/turn/gallery_headings_test.go",
		`greet says nothing any more: remove its heading "a farewell", or write the function's new name`,
	}, misnamed(places, map[string]string{"hello": "a greeting", "greet": "a farewell"}))
	require.Equal(t, []string{`hello and hello-b have the heading "a greeting"`},
		misnamed(places, map[string]string{"hello": "a greeting", "hello-b": "a greeting"}))
}
