package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

// A conversation is what forgetful people write and press around an approval, in one thread.
type conversation struct {
	rules string // name of the repository; empty: "anybody"
	play  func(ctx context.Context, th *thread) error
	want  string // what was permitted in the end, in the form of thread.permitted
	phase string // the phase in the end; empty: any
	scope string // the scope of the standing approval in the end; empty: any
	// the words of the objections to the standing approval in the end; "-": there is none; empty: any
	objects string
	// the notes that name a person, each with the first word of its message; "-": there is none; empty: any
	note  string
	says  []string // texts of the program's lines, in this order
	never []string // texts that no line has
}

var conversations = map[string]conversation{
	"a stop that says more is kept, also of a person who may not approve": {
		play: said("report", "bea: fix it",
			"gus: stop, the path with the slash should stay out of the list"),
		want:  "report=bea approvals:1=bea",
		phase: "stopped",
		says: []string{
			`gus, this waits for an approver (guests cannot approve): "stop, the path with the slash`,
			"Stopped, as gus asked.",
		},
	},
	"a guest who only says stop": { // the control
		play:  said("report", "bea: fix it", "gus: stop"),
		want:  "report=bea approvals:1=bea",
		phase: "stopped",
		never: []string{"waits for an approver"},
	},
	// After a stop at a report.
	"a report that was stopped is taken up by a second word": {
		play:  said("report", "bea: stop", "cem: fix it", "cem: fix it"),
		want:  "report=cem approvals:1=cem",
		phase: "working",
		says: []string{
			`Stopped, as bea asked. Revision 1 was not begun; write "fix it" to take it up again, ` +
				`or what has to change.`,
			"cem, revision 1 was stopped by bea. Take it up again?", "Revision 1 approved by cem.",
		},
	},
	"a report that was stopped is taken up by a press": {
		play:  said("report", "bea: stop", "cem: fix it", "press ann take_up"),
		want:  "report=ann approvals:1=ann",
		phase: "working",
	},
	"one word takes up nothing": {
		play: said("report", "bea: stop", "cem: fix it"), want: "approvals:", phase: "stopped",
	},
	"a press of stop is told to whoever comes back": {
		play: said("report", "press bea stop", "cem: fix it"),
		want: "approvals:",
		says: []string{"cem, revision 1 was stopped by bea. Take it up again?"},
	},
	"a guest takes up nothing": {
		play:  said("report", "bea: stop", "cem: fix it", "gus: fix it", "press gus take_up"),
		want:  "approvals:",
		phase: "stopped",
		says:  []string{"Guests cannot approve."},
	},
	"an offer from before a later stop takes up nothing": {
		play:  said("report", "bea: stop", "cem: fix it", "bea: stop", "press cem take_up"),
		want:  "approvals:",
		phase: "stopped",
		says:  []string{"Somebody said stop again since"},
	},
	"stop, fix it, stop, fix it, fix it": {
		play:  said("report", "bea: stop", "cem: fix it", "bea: stop", "cem: fix it", "cem: fix it"),
		want:  "report=cem approvals:1=cem",
		phase: "working",
	},
	"a report that was stopped is taken up with its limit": {
		play:  said("report", "bea: stop", "cem: fix only cart/price.go", "press cem take_up"),
		want:  "report=cem approvals:1=cem",
		phase: "working",
		says: []string{
			"Take it up again, limited to: cart/price.go?",
			"Revision 1 approved by cem, limited to: cart/price.go",
		},
	},
	"a report of another base is not taken up": {
		play:  said("report", "bea: stop", "moved", "cem: fix it", "cem: fix it"),
		want:  "approvals:",
		phase: "stopped",
		says:  []string{"There is no report to approve yet."},
	},
	"what was stopped while a remark was read is taken up": {
		play: said(
			"report", "ann: it is worse with coupons", "bea: stop", "cem: fix it", "press cem take_up",
		),
		want:  "report=cem approvals:1=cem",
		phase: "working",
	},

	"a second approval of stopped work offers to go on": {
		play: said("report", "bea: fix it", "cem: stop", "bea: fix it", "press bea go_on"),
		want: "report=bea,resume=bea approvals:1=bea",
		says: []string{
			`Revision 1 was already approved by bea. The work was stopped. Shall it go on? ` +
				`Press the button, or write "go on".`,
		},
	},
	"a second approval of stopped work that was taken back offers to go on": {
		play: said("report", "bea: fix it", "edit bea: do not fix it", "cem: fix it", "press cem go_on"),
		want: "report=bea,resume=cem approvals:1=bea",
		says: []string{
			`The approval of revision 1 was taken back. bea edited the approval to "do not fix it". ` +
				`The work was stopped. Shall it go on?`,
		},
	},
	"a second approval of work that was taken back": {
		play:  said("report", "bea: fix it", "delete bea", "cem: fix it"),
		want:  "report=bea approvals:1=bea",
		phase: "working",
		says: []string{
			"The approval of revision 1 was taken back. The approval of bea was deleted. The work goes " +
				"on to its proof, and then I ask for a new word before the push.",
		},
	},

	// A yes that is taken back, or given back to somebody else.
	"an approver who takes it back objects": {
		play:    said("report", "bea: fix it", "bea: sorry, I take it back"),
		want:    "report=bea approvals:1=bea",
		objects: "bea: sorry, I take it back",
		says:    []string{"Noted, bea: nothing is pushed"},
	},
	"a stop that is said to the approver is held": {
		play:    said("report", "bea: fix it", "cem: <@bea> stop"),
		want:    "report=bea approvals:1=bea",
		objects: "cem: <@bea> stop",
	},
	"a no that is said to the approver by name is held": {
		play:    said("report", "bea: fix it", "cem: bea please don't push this"),
		want:    "report=bea approvals:1=bea",
		objects: "cem: bea please don't push this",
	},
	"a guest's emoji to the approver is held": {
		play:    said("report", "bea: fix it", "gus: 👎 <@bea>"),
		want:    "report=bea approvals:1=bea",
		objects: "gus: 👎 <@bea>",
	},
	"a stop that is said to somebody else is theirs": { // the control
		play: said("report", "bea: fix it", "cem: <@UANN> stop"), want: "report=bea approvals:1=bea",
		objects: "-",
	},
	"an answer to a colleague takes no objection back": {
		play: said(
			"report", "bea: fix it", "cem: wrong file", "ann: <@UCEM> you mean it is the wrong file?",
			"cem: that's right",
		),
		want:    "report=bea approvals:1=bea",
		objects: "cem: wrong file",
		says: []string{
			`cem, was “that's right” for me? Your objection stands. To take it back, write "I take it back".`,
		},
	},
	"words that name it take an objection back below talk, too": {
		play: said(
			"report", "bea: fix it", "cem: wrong file", "ann: <@UCEM> really?",
			"cem: never mind, I take it back",
		),
		want:    "report=bea approvals:1=bea",
		objects: "-",
		says:    []string{"cem took the objection back."},
	},
	"an answer to a colleague lets no stopped work go on": {
		play:  said("report", "bea: fix it", "cem: stop", "ann: <@UBEA> can I explain?", "bea: go on"),
		want:  "report=bea approvals:1=bea",
		phase: "stopped",
		says:  []string{"bea, shall I read “go on” as your word that the stopped work goes on (revision 1)?"},
	},
	"go on once more, below the question, lets it go on": { // the control
		play: said(
			"report", "bea: fix it", "cem: stop", "ann: <@UBEA> can I explain?", "bea: go on", "bea: go on",
		),
		want: "report=bea,resume=bea approvals:1=bea",
	},
	"an answer to a colleague narrows nothing": {
		play: said(
			"report", "bea: fix it", "ann: does it fail everywhere, cem?", "cem: only in cart/price.go",
		),
		want:  "report=bea approvals:1=bea",
		never: []string{"Narrowed"},
	},

	"a push all the same before the question is answered": {
		play: said("report", "bea: fix it", "cem: wrong file", "bea: push all the same"),
		want: "report=bea approvals:1=bea",
		says: []string{"No push waits for an answer right now."},
	},
	"a push all the same of stopped work is answered": {
		play:  said("report", "bea: fix it", "cem: stop", "bea: push all the same"),
		want:  "report=bea approvals:1=bea",
		phase: "stopped",
		says: []string{
			`The work is stopped. Once an approver has said "go on", ` +
				`I ask about the push again.`,
		},
	},

	"a condition after the approval is held": {
		play:    said("report", "bea: fix it", "cem: only if dora agrees"),
		want:    "report=bea approvals:1=bea",
		objects: "cem: only if dora agrees",
		never:   []string{"Narrowed"},
		says:    []string{"Noted, cem: nothing is pushed"},
	},
	"a yes with a condition after the approval is held": {
		play:    said("report", "bea: fix it", "cem: LGTM once the tests are in"),
		want:    "report=bea approvals:1=bea",
		objects: "cem: LGTM once the tests are in",
	},
	"a time after the approval is held": {
		play:    said("report", "bea: fix it", "bea: tomorrow"),
		want:    "report=bea approvals:1=bea",
		objects: "bea: tomorrow",
	},
	"a time that a colleague asked for is theirs": { // the control
		play:    said("report", "bea: fix it", "ann: when do we release, cem?", "cem: tomorrow"),
		want:    "report=bea approvals:1=bea",
		objects: "-",
	},
	"a refusal to fix is no limit": {
		play:  said("report", "bea: fix it", "cem: don't fix this bug"),
		want:  "report=bea approvals:1=bea",
		never: []string{"Narrowed"},
	},

	// A word against a push that has begun.
	"a stop during the push is too late": {
		play:  said("report", "bea: fix it", "pushing", "cem: stop"),
		want:  "report=bea approvals:1=bea",
		never: []string{"Stopped"},
		says:  []string{"cem, that comes too late to keep it back: it is being pushed."},
	},
	"a deletion during the push is too late": {
		play:  said("report", "bea: fix it", "pushing", "delete bea"),
		want:  "report=bea approvals:1=bea",
		never: []string{"Nothing is pushed"},
		says: []string{
			"The approval of bea was deleted. That comes too late to keep it back: it is being pushed.",
		},
	},

	// A word against work while nothing is approved, and an agent only explores.
	"a word against a push stops no exploring": {
		play: said(
			"ann: @bobbin the total is off again",
			"ann: please don't push anything, we only want to know the cause",
		),
		want:  "approvals:",
		phase: "exploring",
		never: []string{"Stopped", "Noted"},
	},
	"what was found stops no exploring": {
		play:  said("ann: @bobbin the total is off again", "cem: wait, I found it: it's the rounding"),
		want:  "approvals:",
		phase: "exploring",
		never: []string{"Stopped", "Noted"},
	},
	"a bare wait stops exploring": {
		play:  said("ann: @bobbin the total is off again", "cem: wait a minute please"),
		want:  "approvals:",
		phase: "stopped",
	},
	"a stop with a reason stops exploring": {
		play: said(
			"ann: @bobbin the total is off again", "cem: STOP. That is the wrong file, do not push this.",
		),
		want:  "approvals:",
		phase: "stopped",
	},
	"a word against a push stops approved work": { // the control
		play: said(
			"report", "bea: fix it", "cem: please don't push anything, we only want to know the cause",
		),
		want:  "report=bea approvals:1=bea",
		phase: "stopped",
	},

	// A stop by somebody who may not approve.
	"a guest's stop leaves the work of a member's stop stopped": {
		play:  said("report", "bea: stop", "gus: stop", "cem: fix it"),
		want:  "approvals:",
		phase: "stopped",
		says:  []string{"cem, revision 1 was stopped by gus."},
	},
	"a guest's stop leaves a report open": {
		play:  said("report", "gus: stop", "bea: fix it"),
		want:  "report=bea approvals:1=bea",
		phase: "working",
		says: []string{
			"gus, nothing is under way here that I could stop. Revision 1 stays open for an approver.",
		},
		never: []string{"Stopped"},
	},
	"a guest's press of stop leaves a report open": {
		play:  said("report", "press gus stop", "press bea fix_it"),
		want:  "report=bea approvals:1=bea",
		phase: "working",
		never: []string{"Stopped"},
	},
	"a guest's stop leaves a plan open": {
		play:  said("plan", "gus: stop", "bea: go ahead"),
		want:  "plan=bea approvals:1=bea",
		phase: "working",
		never: []string{"Stopped"},
	},
	"a guest's stop leaves an understanding open": {
		play:  said("understanding", "gus: stop", "bea: go ahead"),
		want:  "understanding=bea approvals:1=bea",
		never: []string{"Stopped"},
	},
	"a member who may not approve leaves a report open, too": {
		rules: "named",
		play:  said("report", "cem: stop", "bea: fix it"),
		want:  "report=bea approvals:1=bea",
		never: []string{"Stopped"},
	},
	"whoever asked takes a report back": {
		rules: "named",
		play:  said("report", "ann: stop"),
		want:  "approvals:",
		phase: "stopped",
		says:  []string{"Stopped, as ann asked."},
	},
	"a guest's stop ends work": {
		play:  said("report", "bea: fix it", "gus: stop"),
		want:  "report=bea approvals:1=bea",
		phase: "stopped",
		says:  []string{"Stopped, as gus asked."},
	},
	"a guest's stop ends the reading of a remark, and the report stays": {
		play:  said("report", "ann: it is worse with coupons", "gus: stop", "bea: fix it"),
		want:  "report=bea approvals:1=bea",
		phase: "working",
		says: []string{
			"Stopped reading what was written below revision 1, as gus asked. The revision stays open " +
				"for an approver.",
		},
	},

	// An approval below other people's talk.
	"fix it below words to somebody else is asked about": {
		play:  said("report", "ann: <@UCEM> do you like the header?", "bea: fix it"),
		want:  "approvals:",
		phase: "reported",
		says: []string{
			`bea, shall I read “fix it” as approval of revision 1? Press a button, or reply "fix it".`,
		},
	},
	"fix it below the question about it is an approval": {
		play:  said("report", "ann: <@UCEM> do you like the header?", "bea: fix it", "bea: fix it"),
		want:  "report=bea approvals:1=bea",
		phase: "working",
	},
	"a question that stays above more talk is in the thread once": {
		play: said(
			"report", "ann: <@UCEM> do you like the header?", "bea: fix it",
			"ann: <@UCEM> or the footer?", "bea: go ahead",
		),
		want: "approvals:",
		says: []string{
			"bea, shall I read “go ahead” as",
			`Shall I read “go ahead” as approval of revision 1? Press a button, or reply "fix it". ` +
				"The buttons are with my question above.",
		},
	},
	"fix it below a question that was for somebody else is asked about": {
		play: said("report", "ann: do we ship on friday, cem?", "silence", "bea: fix it"),
		want: "approvals:",
		says: []string{"bea, shall I read “fix it” as approval of revision 1?"},
	},
	"fix it below a question that was answered is an approval": {
		play: said("report", "ann: does it happen for guests?", "answer", "shown", "bea: fix it"),
		want: "report=bea approvals:1=bea",
	},
	"fix it below a remark is an approval": {
		play: said("report", "ann: it is worse with coupons", "answer", "shown", "bea: fix it"),
		want: "report=bea approvals:1=bea",
	},
	"fix it that mentions the bot is an approval": {
		play: said("report", "ann: <@UCEM> do you like the header?", "bea: @bobbin fix it"),
		want: "report=bea approvals:1=bea",
	},
	"fix it below one's own words to somebody else is an approval": {
		play: said("report", "bea: <@UCEM> I take this", "bea: fix it"), want: "report=bea approvals:1=bea",
	},
	"a limit below words to somebody else is asked about with the limit": {
		play: said(
			"report", "ann: <@UCEM> do you like the header?", "bea: fix only cart/price.go", "bea: fix it",
		),
		want:  "report=bea approvals:1=bea",
		scope: "cart/price.go",
		says: []string{
			"bea, shall I read “fix only cart/price.go” as approval of revision 1, limited to: cart/price.go",
			"Revision 1 approved by bea, limited to: cart/price.go",
		},
	},
	"words that only sound like consent below that question keep its limit": {
		play: said(
			"report", "ann: <@UCEM> do you like the header?", "bea: fix only cart/price.go",
			"bea: sounds good",
			"bea: fix it",
		),
		want:  "report=bea approvals:1=bea",
		scope: "cart/price.go",
		says: []string{
			"bea, shall I read “sounds good” as approval of revision 1, limited to: cart/price.go?",
			"Revision 1 approved by bea, limited to: cart/price.go",
		},
	},
	"a press of that question keeps the limit": {
		play: said(
			"report", "ann: <@UCEM> do you like the header?", "bea: fix only cart/price.go",
			"press bea fix_it",
		),
		want:  "report=bea approvals:1=bea",
		scope: "cart/price.go",
	},
	"a limit that was asked about long ago limits no later approval": {
		play: said(
			"report", "ann: <@UCEM> do you like it?", "bea: fix only cart/price.go",
			"ann: it is worse with coupons", "answer", "shown", "bea: fix it",
		),
		want:  "report=bea approvals:1=bea",
		says:  []string{"Revision 1 approved by bea."},
		never: []string{"approved by bea, limited"},
	},
	"a go-ahead to an understanding below words to somebody else is asked about": {
		play: said("understanding", "ann: <@UCEM> do you like the header?", "bea: go ahead"),
		want: "approvals:",
		says: []string{"bea, shall I read “go ahead” as your word to start"},
	},
	"and counts below that question": {
		play: said("understanding", "ann: <@UCEM> do you like the header?", "bea: go ahead", "bea: go ahead"),
		want: "understanding=bea approvals:1=bea",
	},
	"fix it twice": {
		play: said("report", "bea: fix it", "bea: fix it"),
		want: "report=bea approvals:1=bea",
		says: []string{"Revision 1 was already approved by bea."},
	},

	// Limits, conditions and times.
	"a limit by numbers is kept": {
		play:  said("report", "bea: go ahead with 1 and 3"),
		want:  "report=bea approvals:1=bea",
		scope: "only steps 1 and 3",
	},
	"a limit by minus is kept": {
		play:  said("report", "bea: LGTM, minus the test"),
		want:  "report=bea approvals:1=bea",
		scope: "not the test",
	},
	"a limit by a place is echoed as it was meant": {
		play:  said("report", "bea: fix it in price only"),
		want:  "report=bea approvals:1=bea",
		scope: "only in price",
		says:  []string{"Revision 1 approved by bea, limited to: only in price"},
	},
	"a condition is not waited for": {
		play:  said("report", "bea: approve, provided cem agrees"),
		want:  "approvals:",
		phase: "reported",
		says: []string{
			`bea, I cannot wait for that: "provided cem agrees". Reply "fix it" when the time has come, ` +
				`or press the button to approve revision 1 now.`,
		},
	},
	"a time is not waited for, and a press approves now": {
		play: said("report", "bea: fix it tomorrow", "press bea fix_it"), want: "report=bea approvals:1=bea",
		says: []string{`I cannot wait for that: "tomorrow"`, "Revision 1 approved by bea."},
	},
	"the limit beside a condition is kept by the button": {
		play:  said("report", "bea: fix only cart/price.go, once cem agrees", "press bea fix_it"),
		want:  "report=bea approvals:1=bea",
		scope: "cart/price.go",
		says:  []string{"to approve revision 1 now, limited to: cart/price.go."},
	},
	"the limit beside a condition is kept by the word": {
		play:  said("report", "bea: fix only cart/price.go, once cem agrees", "bea: fix it"),
		want:  "report=bea approvals:1=bea",
		scope: "cart/price.go",
	},
	"a limit that is unclear is kept by the button": {
		play:  said("report", "bea: ok fix it but just the rounding. The rest looks odd", "press bea fix_it"),
		want:  "report=bea approvals:1=bea",
		scope: "just the rounding. The rest looks odd",
	},

	// The recommended answers of an interview.
	"take these does what its button does": {
		play:  said("interview", "bea: wrap up", "bea: take these"),
		want:  "approvals:",
		note:  "Question: Wrapped up by bea.; Wrapping: Wrapped up by bea.",
		phase: "aligning",
	},
	"yes right below the offer takes it": {
		play: said("interview", "bea: wrap up", "bea: yes"),
		want: "approvals:",
		note: "Question: Wrapped up by bea.; Wrapping: Wrapped up by bea.",
	},
	"yes below other words answers the question": {
		play: said("interview", "bea: wrap up", "cem: do we ship on friday?", "bea: yes"),
		want: "approvals:",
		note: "Question: bea: “yes”",
	},
	"take these without an offer is an answer": {
		play: said("interview", "bea: take these"), want: "approvals:", note: "Question: bea: “take these”",
	},
	"a guest's yes is not put below the offer": {
		play: said("interview", "bea: wrap up", "gus: yes"), want: "approvals:", note: "-",
		says: []string{"A full member has to take these answers."},
	},
	"a guest's press takes nothing": {
		play: said("interview", "bea: wrap up", "press gus take_defaults", "press bea take_defaults"),
		want: "approvals:",
		note: "Question: Wrapped up by bea.; Wrapping: Wrapped up by bea.",
	},
	"a guest answers a question, and the offer is not marked with it": {
		play: said("interview", "bea: wrap up", "gus: b"), want: "approvals:",
		note: "Question: gus chose “b”",
	},

	// Going back and forth in an interview.
	"back puts the question before again, and its answer can be changed": {
		play:  said("interview", "bea: a", "second", "bea: back", "shown", "bea: b"),
		want:  "approvals:",
		phase: "aligning",
		says: []string{
			"Back to question 1: Which?", "The answer was “a”.",
			"Question 1: bea changes the answer from “a” to “b”.", "Question 2: And then?",
		},
	},
	"next keeps the answer of a question that was put again": {
		play: said("interview", "bea: a", "second", "bea: back", "shown", "bea: next"),
		want: "approvals:",
		says: []string{
			"Back to question 1: Which?", "Question 1 keeps its answer: “a”.", "Question 2: And then?",
		},
	},
	"back at the first question": {
		play: said("interview", "bea: back"), want: "approvals:", note: "-",
		says: []string{"This is the first question, so there is none before it."},
	},
	"next takes what is recommended, and says so": {
		play: said("interview", "bea: next"), want: "approvals:", note: "Question: Skipped by bea: “a”",
		says: []string{"Skipped, so I take what I recommended: “Which?” → “a”."},
	},
	"a question is left open, and that is said": {
		play: said("interview", "bea: leave it open"), want: "approvals:",
		note: "Question: Left open by bea.",
		says: []string{"Left open: “Which?”."},
	},
	"a number that is no option is asked about": {
		play: said("interview", "bea: 7"), want: "approvals:", note: "-",
		says: []string{"There is no option 7: this question has the options 1 to 2."},
	},
	"the control: a number that is one is the answer": {
		play: said("interview", "bea: 2"), want: "approvals:", note: "Question: bea chose “b”",
	},
	"an answer that names an earlier question changes that": {
		play:  said("interview", "bea: a", "second", "bea: 1: b"),
		want:  "approvals:",
		note:  "Question: bea chose “a”",
		says:  []string{"Question 2", "Question 1: bea changes the answer from “a” to “b”."},
		never: []string{"bea chose “1: b”"},
	},
	"an answer to a question that there is not is asked about": {
		play: said("interview", "bea: for question 5, b"), want: "approvals:", note: "-",
		says: []string{"There is no answered question 5"},
	},

	// A limit after the approval.
	"a second approver's limit narrows": {
		play:  said("report", "bea: fix it", "cem: only cart/price.go please"),
		want:  "report=bea approvals:1=bea",
		scope: "only cart/price.go",
		phase: "working",
		says:  []string{"Narrowed, as cem asked: only cart/price.go."},
	},
	"two approvers with two limits": {
		play:  said("report", "bea: fix only cart/", "cem: don't touch the tests"),
		want:  "report=bea approvals:1=bea",
		scope: "cart/; and: don't touch the tests",
		says: []string{
			"Revision 1 approved by bea, limited to: cart/", "Narrowed, as cem asked: don't touch the tests.",
		},
	},
	"a limited approval after an approval narrows": {
		play:  said("report", "bea: fix it", "cem: looks good, but leave the header alone"),
		want:  "report=bea approvals:1=bea",
		scope: "leave the header alone",
		never: []string{"already approved"},
	},
	"a guest's limit waits": {
		play:  said("report", "bea: fix it", "gus: only cart/price.go"),
		want:  "report=bea approvals:1=bea",
		never: []string{"Narrowed"},
		says:  []string{"gus, this waits for an approver"},
	},
	"whoever may not approve narrows nothing": {
		rules: "named",
		play:  said("report", "bea: fix it", "cem: only cart/price.go"),
		want:  "report=bea approvals:1=bea",
		never: []string{"Narrowed"},
		says:  []string{"cem, this waits"},
	},
	"a limit after the push is too late": {
		play:  said("report", "bea: fix it", "pushed", "cem: only cart/price.go"),
		want:  "report=bea approvals:1=bea",
		never: []string{"Narrowed"},
		phase: "done",
		says:  []string{"cem, that limit comes too late: revision 1 was pushed already, as `bobbin/"},
	},
	"a limit while it is being pushed is too late": {
		play:  said("report", "bea: fix it", "pushing", "cem: fix only cart/price.go"),
		want:  "report=bea approvals:1=bea",
		never: []string{"Narrowed"},
		scope: "",
		says:  []string{"cem, that limit comes too late: revision 1 is being pushed at this moment"},
	},
	"a limit of the next revision is an approval of that": {
		play:  said("report", "bea: fix it", "pushed", "report", "cem: fix only cart/price.go"),
		want:  "report=bea,report=cem approvals:1=bea,2=cem",
		scope: "cart/price.go",
	},
	"a limit and an objection in one message count both": {
		play:    said("report", "bea: fix it", "cem: don't touch refund, and I don't agree"),
		want:    "report=bea approvals:1=bea",
		phase:   "working",
		scope:   "don't touch refund",
		objects: "cem: don't touch refund, and I don't agree",
		says:    []string{"Narrowed, as cem asked: don't touch refund.", "Noted, cem: nothing is pushed"},
	},
	"the control: a limit alone is no objection": {
		play: said("report", "bea: fix it", "cem: don't touch refund"), want: "report=bea approvals:1=bea",
		scope: "don't touch refund", objects: "-", never: []string{"Noted"},
	},

	// A refusal that is said to a colleague, or to everybody.
	"a refusal to a colleague is an objection, and nobody is answered": {
		play:    said("report", "bea: fix it", "cem: <@UANN> wait, please don't push this"),
		want:    "report=bea approvals:1=bea",
		phase:   "working",
		objects: "cem: <@UANN> wait, please don't push this",
		never:   []string{"Noted", "Stopped"},
	},
	"a guest's refusal to a colleague is one, too": {
		play:    said("report", "bea: fix it", "gus: <@UANN> that's the wrong file"),
		want:    "report=bea approvals:1=bea",
		objects: "gus: <@UANN> that's the wrong file",
		never:   []string{"Noted"},
	},
	"a refusal with a colleague's name behind it is an objection": {
		play:    said("report", "bea: fix it", "cem: please don't push this <@UANN>"),
		want:    "report=bea approvals:1=bea",
		phase:   "working",
		objects: "cem: please don't push this <@UANN>",
	},
	"a refusal to a colleague whose name is typed is an objection": {
		play:    said("report", "bea: fix it", "cem: @ann wait, please don't push this"),
		want:    "report=bea approvals:1=bea",
		phase:   "working",
		objects: "cem: @ann wait, please don't push this",
	},
	"small talk to a colleague is no objection": {
		play: said(
			"report", "bea: fix it", "cem: <@UANN> wait for me at lunch", "ann: <@UCEM> one moment",
			"cem: <@UANN> no",
		),
		want:    "report=bea approvals:1=bea",
		phase:   "working",
		objects: "-",
		never:   []string{"Noted", "Stopped"},
	},
	"a refusal to a colleague is taken back by its writer": {
		play: said(
			"report", "bea: fix it", "cem: <@UANN> please don't push this", "cem: never mind, go ahead",
		),
		want:    "report=bea approvals:1=bea",
		objects: "-",
		says:    []string{"cem took the objection back."},
	},
	"a refusal to a colleague before the approval objects to nothing": {
		play:    said("report", "cem: <@UANN> please don't push this", "bea: @bobbin fix it"),
		want:    "report=bea approvals:1=bea",
		objects: "-",
	},
	"a refusal to everybody in the channel stops": {
		play:  said("report", "bea: fix it", "cem: <!here> please don't push this"),
		want:  "report=bea approvals:1=bea",
		phase: "stopped",
		says:  []string{"Stopped, as cem asked."},
	},
	"never mind alone takes nothing back": {
		play:    said("report", "bea: fix it", "cem: wrong file", "cem: never mind"),
		want:    "report=bea approvals:1=bea",
		never:   []string{"took the objection back"},
		objects: "cem: wrong file; cem: never mind",
	},

	"a correction narrows nothing": {
		play:  said("report", "bea: fix it", "cem: use the other package"),
		want:  "report=bea approvals:1=bea",
		never: []string{"Narrowed"},
	},
}

// stepOfReport plays a step that shows a plan, moves the base of what was shown, begins a push, or has the
// orchestrator say nothing to what was written.
func (th *thread) stepOfReport(ctx context.Context, step string) error {
	switch step {
	case "moved":
		return th.Record(ctx, store.Update{Change: func(s *workflow.Session) { s.BaseCommit = "moved" }})
	case "pushing":
		_, err := th.intend(ctx, "commit", "tree")
		return err
	case "interview":
		if err := happens(workflow.EventRequest, workflow.EventAlign)(ctx, th); err != nil {
			return err
		}
		r, err := th.lead().Ask(ctx, decision.Question{
			Question:    "Which?",
			Options:     []string{"a", "b"},
			Recommended: "a",
			Open:        []workflow.OpenDecision{{}},
		})
		if err != nil {
			return err
		}
		return errors.Join(th.Record(ctx, partsOf(r)...), th.posted(ctx, th.tick()))
	case "second":
		if err := th.reads(ctx); err != nil {
			return err
		}
		r, err := th.lead().Ask(ctx, decision.Question{
			Question: "And then?", Options: []string{"c", "d"}, Recommended: "c",
			Open: []workflow.OpenDecision{{}},
		})
		if err != nil {
			return err
		}
		return errors.Join(th.Record(ctx, partsOf(r)...), th.posted(ctx, th.tick()))
	case "silence":
		r, err := th.lead().NotForMe(ctx, "they talk to each other")
		if err != nil {
			return err
		}
		return th.Record(ctx, partsOf(r)...)
	}
	if err := happens(workflow.EventRequest)(ctx, th); err != nil {
		return err
	}
	_, err := th.show(ctx, workflow.ReportPlan, workflow.EventPlan, workflow.EventShowPlan)
	return errors.Join(err, th.posted(ctx, th.tick()))
}

func TestConversations(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t)
	n := 0
	for name, c := range conversations {
		n++
		where := workflow.Thread{Team: "T1", Channel: "C1", TS: fmt.Sprintf("%d.0", n)}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := townRunner(st)
			rules := c.rules
			if rules == "" {
				rules = "anybody"
			}
			th, err := r.begin(t.Context(), where, "ann", rules, "what does Key do?")
			require.NoError(t, err)
			require.NoError(t, c.play(t.Context(), th))
			all, err := th.said(t.Context())
			require.NoError(t, err)
			got, err := th.permitted(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.want, got, strings.Join(all, "\n"))
			if c.phase != "" {
				require.Equal(t, c.phase, string(th.Session().Phase), strings.Join(all, "\n"))
			}
			a, err := th.StandingApproval(t.Context())
			require.NoError(t, err)
			if c.scope != "" {
				require.NotNil(t, a, strings.Join(all, "\n"))
				require.Equal(t, c.scope, a.Scope)
			}
			if c.objects != "" {
				require.Equal(t, c.objects, th.objections(t, a), strings.Join(all, "\n"))
			}
			if c.note != "" {
				var notes string
				err := st.Pool.QueryRow(t.Context(), `select coalesce(string_agg(
						split_part(split_part(l.text, E'\n', 1), ' ', 1) || ': ' || o.settled, '; '
							order by o.id), '-')
					from outbox o join lines l on l.id = o.line_id
					where o.session_id = $1 and o.settled <> '' and o.settled <> 'Answered below.'`,
					th.Session().ID).Scan(&notes)
				require.NoError(t, err)
				require.Equal(t, c.note, notes, strings.Join(all, "\n"))
			}
			rest := strings.Join(all, "\n")
			for _, text := range c.says {
				require.Contains(t, rest, text)
				_, rest, _ = strings.Cut(rest, text)
			}
			for _, text := range c.never {
				require.NotContains(t, strings.Join(all, "\n"), text)
			}
		})
	}
}

// said returns the texts of the program's lines in order, with those that one person alone is shown.
func (th *thread) said(ctx context.Context) ([]string, error) {
	rows, err := th.Store.Pool.Query(ctx, `select coalesce(l.text, o.ephemeral_line ->> 'Text')
		from outbox o left join lines l on l.id = o.line_id
		where o.session_id = $1 and (o.line_id is not null or o.ephemeral_line is not null)
			and not exists (select 1 from outbox before where before.line_id = o.line_id and before.id < o.id)
		order by o.id`, th.Session().ID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// objections returns the objections that stand against an approval: "cem: wrong
// file", or "-" if there is none.
func (th *thread) objections(t *testing.T, a *workflow.Approval) string {
	t.Helper()
	require.NotNil(t, a)
	all, err := th.Store.Objections(t.Context(), a.ID, "")
	require.NoError(t, err)
	said := []string{}
	for _, x := range all {
		said = append(said, x.UserName+": "+x.Words)
	}
	return cmp.Or(strings.Join(said, "; "), "-")
}

// What is said to a colleague against the work keeps it from being pushed. The control: small talk to a
// colleague does not, and without the objection the same work is pushed.
func TestARefusalToAColleagueIsHeldTo(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t)
	r := townRunner(st)
	for i, c := range []struct {
		words            string
		unguarded, holds bool
	}{
		{words: "cem: <@UANN> wait, please don't push this", holds: true},
		{words: "cem: <@UANN> wait, please don't push this", unguarded: true},
		{words: "cem: <@UANN> wait for me at lunch"},
	} {
		where := workflow.Thread{Team: "T1", Channel: "C1", TS: fmt.Sprint(1+i, ".0")}
		th, err := r.begin(t.Context(), where, "ann", "anybody", "the total is off")
		require.NoError(t, err)
		require.NoError(t, said("report", "bea: fix it", c.words)(t.Context(), th))
		require.NoError(t, th.reads(t.Context()))
		if c.unguarded {
			_, err = st.Pool.Exec(t.Context(), `delete from objections where session_id = $1`,
				th.Session().ID)
			require.NoError(t, err)
		}
		_, err = th.intend(t.Context(), "commit", "tree")
		if c.holds {
			require.ErrorIs(t, err, consent.ErrNotApproved, c.words)
		} else {
			require.NoError(t, err, c.words)
		}
	}
}

// Nothing is pushed under an approval before the orchestrator has read each limit by which it was narrowed.
// What is pushed already is not narrowed.
func TestALimitComesBeforeThePush(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t)
	r := townRunner(st)
	th, err := r.begin(
		t.Context(), workflow.Thread{Team: "T1", Channel: "C1", TS: "1.0"}, "ann", "anybody",
		"the total is off",
	)
	require.NoError(t, err)
	require.NoError(t, said("report", "bea: fix it", "unread cem: only cart/price.go")(t.Context(), th))
	_, err = th.intend(t.Context(), "commit", "tree")
	require.ErrorIs(t, err, consent.ErrNotApproved)
	require.NoError(t, th.reads(t.Context()))
	p, err := th.intend(t.Context(), "commit", "tree")
	require.NoError(t, err, "the control: it was read, and the tree was held against it")
	narrowing := consent.Narrowing{Revision: 1, Limit: "only key.go", User: "cem", MessageTS: "1200.0"}
	require.ErrorIs(t, th.Record(t.Context(), narrowing), store.ErrStale)
	p.State = workflow.PushRefused
	require.NoError(t, th.Record(t.Context(), consent.Push(p)))
	require.NoError(t, th.Record(t.Context(), narrowing), "the control: the remote refused the push")
	a, err := th.StandingApproval(t.Context())
	require.NoError(t, err)
	require.Equal(t, "only cart/price.go; and: only key.go", a.Scope)
}

// Who objects while the change is being pushed is not told that it is kept back. The objection is stored: it
// keeps the change back if the remote refuses this push.
func TestAnObjectionDuringThePushIsTooLate(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t)
	r := townRunner(st)
	for name, begun := range map[string]bool{"the push has begun": true, "the control: it has not": false} {
		where := workflow.Thread{Team: "T1", Channel: "C1", TS: fmt.Sprint(1+len(name), ".0")}
		th, err := r.begin(t.Context(), where, "ann", "anybody", "the total is off")
		require.NoError(t, err, name)
		require.NoError(t, said("report", "bea: fix it")(t.Context(), th), name)
		require.NoError(t, th.reads(t.Context()), name)
		var p workflow.Push
		if begun {
			p, err = th.intend(t.Context(), "commit", "tree")
			require.NoError(t, err, name)
		}
		require.NoError(t, said("cem: wrong file")(t.Context(), th), name)
		lines, err := st.Lines(t.Context(), th.Session().ID)
		require.NoError(t, err, name)
		last := lines[len(lines)-1].Text
		require.Equal(t, begun, strings.Contains(last, "cem, that comes too late to keep it back"), last)
		require.Equal(t, !begun, strings.Contains(last, "Noted, cem: nothing is pushed"), last)
		if begun {
			p.State = workflow.PushRefused
			require.NoError(t, th.Record(t.Context(), consent.Push(p)), name)
		}
		_, err = th.intend(t.Context(), "commit", "tree")
		require.ErrorIs(t, err, consent.ErrNotApproved, name)
	}
}

// A press counts only in the message that shows the button: a value that is sent with
// another message is none of it.
func TestAButtonIsOfItsMessage(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t)
	r := townRunner(st)
	th, err := r.begin(
		t.Context(), workflow.Thread{Team: "T1", Channel: "C1", TS: "1.0"}, "ann", "anybody",
		"the total is off",
	)
	require.NoError(t, err)
	require.NoError(t, said("report", "ann: <@UCEM> nice?", "bea: fix only cart/")(t.Context(), th))
	value, err := th.newest(t.Context(), workflow.ButtonFix)
	require.NoError(t, err)
	pressed := func(in string) string {
		require.NoError(
			t,
			th.receives(
				t.Context(),
				workflow.IncomingEvent{
					Kind:     workflow.MessageAction,
					TS:       in,
					User:     "bea",
					ActionID: workflow.ButtonFix,
					Value:    value,
				},
			),
		)
		require.NoError(t, th.Judge.JudgeAll(t.Context()))
		rows, err := th.permitted(t.Context())
		require.NoError(t, err)
		return rows
	}
	other, err := th.messageOf(t.Context(), "none", "1.5")
	require.NoError(t, err)
	require.Equal(t, "approvals:", pressed(other))
	own, err := th.messageOf(t.Context(), value, "")
	require.NoError(t, err)
	require.Equal(t, "report=bea approvals:1=bea", pressed(own), "the control")
}

// What one message answers puts no note below another: the offer of a backport stays
// when something else is decided.
func TestNotesAreBelowWhatWasAnswered(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t)
	r := townRunner(st)
	th, err := r.begin(
		t.Context(), workflow.Thread{Team: "T1", Channel: "C1", TS: "1.0"}, "ann", "anybody",
		"the total is off",
	)
	require.NoError(t, err)
	require.NoError(t, pushedAndTold(t.Context(), th))
	require.NoError(t, th.posted(t.Context(), th.tick()))
	require.NoError(t, said("gus: yes", "report", "cem: fix it")(t.Context(), th))
	notes := map[string]string{}
	rows, err := st.Pool.Query(
		t.Context(),
		`select b.action_id, coalesce(o.settled, '') from outbox o join lines l on l.id = o.line_id
		join buttons b on b.session_id = o.session_id and (l.text like 'root_cause, revision 2%'
			and b.revision = 2 and b.action_id = 'fix_it'
			or o.buttons::jsonb @> jsonb_build_array(jsonb_build_object('Value', b.id)))
		where o.session_id = $1 and o.rewrites is null`, th.Session().ID)
	require.NoError(t, err)
	for rows.Next() {
		var action, note string
		require.NoError(t, rows.Scan(&action, &note))
		notes[action] += note
	}
	require.NoError(t, rows.Err())
	require.Equal(t, map[string]string{"backport": "", "fix_it": "Approved by cem."}, notes)
}
