package judge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
)

// A ruleCase is a message that a rule judges, in the session that state describes.
type ruleCase struct {
	rule  string
	text  string
	state func(*Case)
}

// wordCases has a case for each rule about words. Where none is said, a member writes below a report that
// waits for its approval.
var wordCases = []ruleCase{
	{"stop, where nothing ran", "stop", func(c *Case) { c.nothingRan.value = true }},
	{"stop", "stop", nothing},
	{"stop", "wait, please don't push this yet", func(c *Case) { c.stops.value = true }},
	{"help", "", nothing},
	{"help", "?", asked},
	{"help", "/bobbin help", heldBack},
	{"help", "hello!", func(c *Case) {
		c.Message.Kind = workflow.MessageMention
		c.Message.TS = c.Session.Thread.TS
	}},
	{"guest", "", func(c *Case) {
		c.hasFiles.value = true
		c.writer.value.Guest = true
		c.Message.TS = c.Session.Thread.TS
	}},
	{"words for the agents", "hello!", nothing},
	{"guest", "the total is off", func(c *Case) {
		c.writer.value.Guest = true
		c.Message.TS = c.Session.Thread.TS
	}},
	{"objection taken back, unclear", "ok, go on", func(c *Case) {
		objected(c)
		c.talkBelow.value = true
	}},
	{"objection taken back", "ok, go on", objected},
	{"objection taken back", "I take it back", func(c *Case) {
		objected(c)
		c.talkBelow.value = true
	}},
	{"refusal after the push", "no, that's not it", func(c *Case) {
		c.Session.Phase = workflow.PhaseDone
		c.pushed.value = "it was pushed already"
	}},
	{"pass it on", "pass it on", nothing},
	{"lesson", "forget lesson 2", nothing},
	{"test command", "test it with `make check`", func(c *Case) { c.testCommand.value = "make check" }},
	{"test command", "Yes, use that command", func(c *Case) { c.testCommand.value = "make check" }},
	{"answer", "test it with `make check`", asked},
	{"branch", "branch: release/1.4", func(c *Case) { c.Session.Repository = "shop" }},
	{"another repository, too", "fix it", func(c *Case) { c.to.begins = "site" }},
	{"backport", "backport this to release/1.4", nothing},
	{"file an issue", "file it", nothing},
	{"file an issue", "not this week, make an issue of it", nothing},
	{"file an issue", "not now, file it", func(c *Case) {
		c.Session.Phase = workflow.PhaseDone
		c.pushed.value = "it was pushed already"
	}},
	{"file an issue", "file it", heldBack},
	{"move", "continue in #payments", nothing},
	{"move", "take this to <#C0123ABCD|payments>", asked},
	{"move", "continue in #payments", heldBack},
	{"stop", "not this week, make an issue of it", func(c *Case) {
		c.approved.value = &workflow.Approval{}
	}},
	{"merge of the base", "please resolve the conflicts", func(c *Case) { c.mergesBase.value = true }},
	{"limited approval, held", "fix it, but leave the header alone", heldBack},
	{"go on", "go on", afterStop},
	{"go on, unclear", "go on", func(c *Case) {
		afterStop(c)
		c.talkBelow.value = true
	}},
	{"going on, mentioned", "when does it continue with the header", afterStop},
	{"go on with questions", "go on", func(c *Case) {
		c.Session.Phase = workflow.PhaseStopped
		c.stoppedAsks.value = []workflow.Inquiry{{}}
	}},
	{"back in an interview", "go back", aligning},
	{"skip", "next", asked},
	{"skip", "leave it open", asked},
	{"more questions", "keep asking", aligning},
	{"wrap up", "wrap up", aligning},
	{"take these", "take these", func(c *Case) {
		asked(c)
		c.takesOffer.value = true
	}},
	{"question back", "why do you ask?", asked},
	{"answer to another question", "1: daily", func(c *Case) {
		asked(c)
		aligning(c)
		c.question.value.Number = 2
		c.question.value.Options = []string{"yes", "no"}
	}},
	{"no such option", "7", asked},
	{"answer", "in two weeks", asked},
	{"answer", "weekly", asked},
	{"understanding confirmed", "yes, that's right", func(c *Case) {
		aligning(c)
		c.Session.ReportKind = workflow.ReportRequest
	}},
	{"words of a private thread", "push it so", func(c *Case) { c.discloses.value = true }},
	{"push", "push it", func(c *Case) { c.asksForPush.value = true }},
	{"limit reached", "go on", func(c *Case) {
		c.limit.value = limitAnswer{meant: true, over: []workflow.LimitUse{{}}, rested: true}
	}},
	{
		"limit no longer reached", "go on",
		func(c *Case) { c.limit.value = limitAnswer{meant: true, rested: true} },
	},
	{
		"limit to approved work", "only cart/price.go please",
		func(c *Case) { c.narrows.value = &approval.Narrowing{} },
	},
	{"consent, unclear", "sounds good", func(c *Case) { c.consent.value.unclear = true }},
	{"consent, unclear", "fix it", func(c *Case) { c.consent.value = consentHere{c.says().Consent, true} }},
	{"approval", "fix it", consents},
	{"approval", "fix it", func(c *Case) {
		consents(c)
		heldBack(c)
	}},
	{
		"adoption", "yes please do this",
		func(c *Case) { c.requestAbove.value = approval.RequestsAbove{Err: os.ErrClosed} },
	},
	{"repository", "repo: api", func(c *Case) { c.Session.Repository = "shop" }},
	{"command", "/diagnose", nothing},
	{"post a review", "post it to #1", func(c *Case) { c.Session.ReportKind = workflow.ReportReview }},
	{"push to a colleague's branch", "push it to cleo/split", func(c *Case) { c.Session.Pull = 1 }},
	{
		"question about the change", "why is the diff so large?",
		func(c *Case) { c.Session.Branch = "bobbin/x" },
	},
	{"show the diff", "show me the diff, please", func(c *Case) { c.Session.Branch = "bobbin/x" }},
	{"review", "please review the change", func(c *Case) { c.Session.Branch = "bobbin/x" }},
	{"who knows the code", "who knows cart/price.go?", nothing},
	{"held", "it is the header, too", heldBack},
	{"words for the agents", "it began on Monday, with coupons", nothing},
}

// A pressCase is a ruleCase of a press.
type pressCase struct {
	rule   string
	action workflow.ActionID
	state  func(*Case)
}

// pressCases has a case for each rule about presses: a member presses a button that was shown.
var pressCases = []pressCase{
	{"Stop, too late", workflow.ButtonStop, func(c *Case) { c.runEnded.value = true }},
	{"Stop", workflow.ButtonStop, nothing},
	{"unknown button", workflow.ButtonFix, func(c *Case) { c.button.value.shown = false }},
	{"Pass it on", workflow.ButtonPassOn, heldBack},
	{"Go on", workflow.ButtonGoOn, heldBack},
	{"Put it back", workflow.ButtonPutBack, heldBack},
	{"held", workflow.ButtonOption, heldBack},
	{"held", workflow.ButtonConsult, heldBack},
	{"held", workflow.ButtonBroken, heldBack},
	{"Backport", workflow.ButtonBackport, heldBack},
	{"File it", workflow.ButtonFile, heldBack},
	{"Post it", workflow.ButtonPostReview, heldBack},
	{"Go on there", workflow.ButtonMove, heldBack},
	{"Merge main", workflow.ButtonMergeBase, heldBack},
	{"Fix it there", workflow.ButtonFixThere, heldBack},
	{"Fix it, Go ahead", workflow.ButtonFix, heldBack},
	{"Fix it, of a stopped report", workflow.ButtonTakeUp, heldBack},
	{"Push it", workflow.ButtonPush, heldBack},
	{"Prove it by CI", workflow.ButtonProveByCI, heldBack},
	{"Push it so", workflow.ButtonPushShown, heldBack},
	{"Push without the thread's words", workflow.ButtonPushNeutral, heldBack},
	{"Yes, that is it", workflow.ButtonConfirm, heldBack},
	{"a repository", workflow.ButtonChoose, nothing},
	{"Report on a repository, too", workflow.ButtonPart, nothing},
	{"Look into, of a release; Make it for, of a merged pull request", workflow.ButtonOnBase, nothing},
	{"Works, Still broken", workflow.ButtonBroken, nothing},
	{
		"Correct…, with limits…, Change repository…, Change branch…, Stop…, Details",
		workflow.ButtonFixLimited, nothing,
	},
	{"Show the diff", workflow.ButtonShowDiff, nothing},
	{"Explain", workflow.ButtonExplain, nothing},
	{"Stop, of another thread", workflow.ButtonStopThread, heldBack},
	{"Not the same problem", workflow.ButtonNotSame, heldBack},
	{"Join", workflow.ButtonJoin, nothing},
	{"an option, Wrap up, Take these", workflow.ButtonOption, nothing},
	{"Diagnosis Report", workflow.ButtonDiagnose, nothing},
	{"Second opinion", workflow.ButtonConsult, nothing},
	{"Propose for AGENTS.md", workflow.ButtonLessons, nothing},
	{"any other button", "of an older release", nothing},
}

// eventCases has a case for each rule about events: text is the kind of the message.
var eventCases = []ruleCase{
	{
		"for another repository of the thread", string(workflow.MessageReply),
		func(c *Case) { c.to.elsewhere = true },
	},
	{"for another repository of the thread", string(workflow.MessageReply), func(c *Case) {
		c.Message = message(c.Message.Kind, "no, that's not it")
		c.Session.PartOf = "the thread's own"
	}},
	{"words", string(workflow.MessageReply), func(c *Case) {
		c.Message = message(c.Message.Kind, "no wait, please stop this")
		c.Session.PartOf = "the thread's own"
	}},
	{"deletion", string(workflow.MessageDelete), nothing},
	{"edit", string(workflow.MessageEdit), nothing},
	{"reaction", string(workflow.MessageReacted), nothing},
	{"alert", string(workflow.MessageAlert), nothing},
	{"preview", string(workflow.MessagePreview), nothing},
	{"time-out", string(workflow.MessageDue), nothing},
	{"remark at a git host", string(workflow.MessageRemark), nothing},
	{
		"reply below a list of threads", string(workflow.MessageReply),
		func(c *Case) { c.Session.ListThreads(1) },
	},
	{
		"to another person", string(workflow.MessageReply),
		func(c *Case) { c.Message = message(c.Message.Kind, "<@U3> look") },
	},
	{"app", string(workflow.MessageMention), func(c *Case) {
		c.Message.Value = "Zapier"
		c.writer.value.Bot = true
	}},
	{"app", string(workflow.MessageReply), func(c *Case) {
		c.Message.Value = "Zapier"
		c.Message.User = ""
	}},
	{"words", string(workflow.MessageReply), func(c *Case) {
		c.Message.Value = "an assistant of a person"
		c.Message.User = "U1"
	}},
	{"unknown writer", string(workflow.MessageMention), func(c *Case) { c.writer.value.err = os.ErrClosed }},
	{"sent to the bot", string(workflow.MessageSent), func(c *Case) { c.writer.value.Bot = true }},
	{
		"writer who is not heard", string(workflow.MessageReply),
		func(c *Case) { c.writer.value.Stranger = true },
	},
	{"press", string(workflow.MessageAction), nothing},
	{"form", string(workflow.MessageForm), nothing},
	{"words", string(workflow.MessageMention), nothing},
	{"words", string(workflow.MessageReply), nothing},
}

func nothing(*Case)    {}
func heldBack(c *Case) { c.held.value = "only named people may approve here" }
func objected(c *Case) { c.objections.value = []int64{1} }
func consents(c *Case) { c.consent.value = consentHere{c.says().Consent, false} }

func aligning(c *Case) { c.Session.Phase = workflow.PhaseAligning }

func asked(c *Case) {
	c.Session.Phase = workflow.PhaseExploring
	c.question.value = &workflow.Question{Options: []string{"daily", "weekly"}, Recommended: "daily"}
}

func afterStop(c *Case) {
	c.Session.Phase = workflow.PhaseStopped
	c.Session.Halted = "1.0"
	c.approved.value = &workflow.Approval{}
}

// on returns the case as the rules are asked about it.
func (r ruleCase) on(kind workflow.MessageKind) *Case {
	c := &Case{
		Message: message(kind, r.text),
		Session: workflow.Session{
			Thread:     workflow.Thread{TS: "0.1"},
			Phase:      workflow.PhaseReported,
			Revision:   1,
			ReportKind: workflow.ReportRootCause,
		},
	}
	if kind == "" {
		c.Message = message(workflow.MessageKind(r.text), "it is the header")
	}
	c.Message.TS = "2.0"
	c.writer.value.Person = workflow.Person{ID: "U2", Name: "bea"}
	if kind == workflow.MessageAction {
		c.Message = message(kind, "")
		c.Message.ActionID = workflow.ActionID(r.text)
		c.button.value.shown = true
	}
	r.state(c)
	return c
}

// ofPresses returns the cases with the action of each as its text.
func ofPresses(list []pressCase) (cases []ruleCase) {
	for _, p := range list {
		cases = append(cases, ruleCase{p.rule, string(p.action), p.state})
	}
	return cases
}

// Each rule has a case that it judges, and no rule before it. The control: without the rule, another one
// judges the case.
func TestEveryRuleFires(t *testing.T) {
	t.Parallel()
	for _, table := range []struct {
		kind  workflow.MessageKind // empty: each case has its own
		rules []rule
		cases []ruleCase
	}{
		{"", eventRules(), eventCases},
		{workflow.MessageReply, wordRules(), wordCases},
		{workflow.MessageAction, pressRules(), ofPresses(pressCases)},
	} {
		var fired []string
		for _, x := range table.cases {
			first, err := firstRule(table.rules, x.on(table.kind))
			require.NoError(t, err, x.text)
			require.Equal(t, x.rule, first.name, x.text)
			without := slices.DeleteFunc(slices.Clone(table.rules),
				func(r rule) bool { return r.name == x.rule })
			next, err := firstRule(without, x.on(table.kind))
			if x.rule == table.rules[len(table.rules)-1].name {
				require.Error(t, err, "nothing judges what the last rule leaves")
			} else {
				require.NoError(t, err)
				require.NotEqual(t, x.rule, next.name, x.text)
			}
			fired = append(fired, x.rule)
		}
		for _, r := range table.rules {
			require.Contains(t, fired, r.name, "no case for the rule")
		}
	}
}

// whileHeld are the rules that judge words which are held back. A new rule is none of them unless it is
// listed: it is for a writer who is heard.
var whileHeld = []string{
	"stop, where nothing ran", "stop", "help", "guest", "objection taken back, unclear",
	"objection taken back", "refusal after the push", "pass it on", "lesson", "backport",
	"push to a colleague's branch", "file an issue", "move", "post a review", "merge of the base",
	"limited approval, held", "words of a private thread", "push", "limit reached", "limit to approved work",
	"consent, unclear",
	"approval", "show the diff", "question about the change", "review",
	"who knows the code", "held",
}

// What a person says whose words are held back answers no question, and lets nothing go on. The control: the
// same words of a person who is heard do.
func TestHeldWordsAnswerNothing(t *testing.T) {
	t.Parallel()
	rules := wordRules()
	answered := 0
	for _, x := range wordCases {
		held := x.on(workflow.MessageReply)
		heldBack(held)
		judges, err := firstRule(rules, held)
		require.NoError(t, err, x.text)
		require.Contains(t, whileHeld, judges.name, x.text)
		if slices.Contains(whileHeld, x.rule) {
			continue
		}
		answered++
		own := rules[slices.IndexFunc(rules, func(r rule) bool { return r.name == x.rule })]
		require.Equal(t, x.rule == rules[len(rules)-1].name, own.fires(held), "%s: %s", x.rule, x.text)
		require.True(t, own.fires(x.on(workflow.MessageReply)), "the control: %s: %s", x.rule, x.text)
	}
	require.Greater(t, answered, len(goOnRules())+len(interviewMoveRules())+len(answerRules()))
}

// A rule that asks for what cannot be read ends the judging: no later rule takes the message.
func TestNoRuleFiresOnWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	c := ruleCase{text: "it began on Monday", state: nothing}.on(workflow.MessageReply)
	c.held.read = func() (string, error) { return "", os.ErrClosed }
	_, err := firstRule(wordRules(), c)
	require.ErrorIs(t, err, os.ErrClosed)
}

// A judgement that asks for what cannot be read records nothing, not even what it made of the rest.
func TestNothingFollowsFromWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	rules := []rule{{
		name:  "wrap up",
		fires: func(*Case) bool { return true },
		judge: func(_ context.Context, _ *Judge, c *Case) ([]store.Part, error) {
			c.waiting() // only the judgement asks which question waits
			return []store.Part{store.Update{ClearStop: true}}, nil
		},
	}}
	c := ruleCase{text: "wrap up", state: aligning}.on(workflow.MessageReply)
	parts, err := (*Judge)(nil).judgeBy(t.Context(), rules, c)
	require.NoError(t, err)
	require.Len(t, parts, 1)

	c.question.read = func() (*workflow.Question, error) { return nil, os.ErrClosed }
	parts, err = (*Judge)(nil).judgeBy(t.Context(), rules, c)
	require.ErrorIs(t, err, os.ErrClosed)
	require.Empty(t, parts)
}

// The page about security shows the tables as they are. UPDATE_GOLDEN=1 writes them there.
func TestDocsShowTheRules(t *testing.T) {
	t.Parallel()
	page := filepath.Join("..", "..", "..", "..", "docs", "security.md")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	got := string(text)
	for _, table := range []struct {
		name  string
		rules []rule
	}{{"events", eventRules()}, {"words", wordRules()}, {"presses", pressRules()}} {
		begins := fmt.Sprintf("<!-- rules: %s -->\n", table.name)
		ends := fmt.Sprintf("<!-- end of rules: %s -->", table.name)
		before, rest, found := strings.Cut(got, begins)
		require.True(t, found, begins)
		_, after, found := strings.Cut(rest, ends)
		require.True(t, found, ends)
		got = before + begins + tableOf(table.rules) + ends + after
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(page, []byte(got), 0o644))
		return
	}
	require.Equal(t, got, string(text), "UPDATE_GOLDEN=1 go test writes the tables")
}

// tableOf returns rules as a table in Markdown.
func tableOf(rules []rule) string {
	var b strings.Builder
	fmt.Fprint(&b, "\n| | rule | when | what |\n|---|---|---|---|\n")
	for i, r := range rules {
		fmt.Fprintf(&b, "| %d | %s | %s | %s |\n", i+1, r.name, r.when, r.then)
	}
	return b.String() + "\n"
}
