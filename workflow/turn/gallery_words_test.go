package turn

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fillings holds, by heading, examples of what the program fills in where the text of a line is read in the
// source: one for each "…" in it, in their order.
var fillings = map[string][]string{
	"a branch is chosen":                   {"release/1.4 (8eef0fc)"},
	"a clip could not be heard":            {"`voice.m4a`", "the model that I use cannot hear"},
	"a command during work":                {"a bug report"},
	"a command without words":              {"diagnose", "the total is a cent off"},
	"a correction":                         {"bea corrects revision 1:", "> percent coupons are wrong, too"},
	"a hunk is put back":                   {"`coupon/coupon.go:68` +0 −7"},
	"a limit comes too late":               {"was pushed already, as `bobbin/refunds` at 0a1b2c3"},
	"a merge does not pass":                {"`release/1.4`"},
	"a message is passed on":               {"“also add Key.Len”"},
	"a message points at too much":         {"`SHOP-14`"},
	"a part of a long thread was not read": {"120 messages"},
	"a part of an unknown repository":      {"`vault`"},
	"a picture cannot be seen":             {"`cart.png`"},
	"a push is allowed":                    {"Push allowed by bea, unproven"},
	"a push to the branch of a colleague":  {"`cleo/split`"},
	"a question again":                     {"“Is the owner told?”"},
	"a question is left open":              {"“Is the owner told?”", `Say "back" to change that.`},
	"a reader is asked by a person":        {"consultant", "“is the split the cause?”"},
	"a reader without an answer":           {"consultant"},
	"a reference cannot be read":           {"`SHOP-12`", "the tracker knows no such ticket"},
	"a repository gets a part":             {"web", "web"},
	"a repository has a part already":      {"`web`"},
	"a review is posted":                   {"shop#77"},
	"a service did not start":              {"shop", "postgres ended at once (exit 1)"},
	"a session waits for its place":        {"Others are at work"},
	"a task got nowhere":                   {"the model called no tool for 3 rounds"},
	"a test command is said":               {"make test"},
	"a test command cannot be said":        {"go test ./..."},
	"a thread has too many parts":          {"api"},
	"a thread is told to stop":             {"“the tax is a cent off”"},
	"a word for a question counts once":    {" (1 of 2)", "Still needed: 1 more approver."},
	"advice is applied":                    {"Round the running total."},
	"an approval counts once":              {" (1 of 2)", "Still needed: 1 more approver (bea or cem)."},
	"an approval is narrowed":              {"bea", "the Split remainder"},
	"an approval without a report":         {""},
	"an approval while a remark is read":   {""},
	"an attempt failed":                    {"TestSplit fails: got 99, want 100"},
	"an attachment could not be read":      {"`orders.pdf`", "it is encrypted"},
	"an attachment was read":               {"`orders.pdf`", "as text: 3 of 12 pages"},
	"an edit after the push": {
		"ann edited the approval to “no”.", "`bobbin/refunds` at 0a1b2c3.",
	},
	"an objection is quoted": {
		"Noted, gus: nothing is pushed before an approver has seen this", "“wrong file”",
	},
	"an answer as it was":     {"“no”"},
	"an answer is changed":    {"ann", "“no”", "“yes”"},
	"an answer is kept":       {"“no”"},
	"another thread was read": {"14 messages", "#general"},
	"attempts are escalated":  {"2 attempts", "consultant"},
	"details":                 {"Observed: the remainder is dropped (money/split.go:13)"},
	"how tests are run":       {"shop", "go test ./...", "go.mod", "214 of 214 tests passed"},
	"is this an approval, alone": {
		"Shall I read “yes, but only the guard” as approval of revision 1?",
	},
	"lessons are used":                      {"1 thing", "3. “run make tools first”"},
	"no pull request into a tag":            {"pull request", "`v1.4.0`"},
	"nobody answered a question":            {"24 hours", "“Is the owner told?”", "“no”"},
	"the agent got nowhere":                 {"the model called no tool for 3 rounds"},
	"the approval was taken back":           {"ann edited the approval to “do not fix it”."},
	"the base is merged":                    {"main", "134b2ba", "0a1b2c3", "bobbin/refunds"},
	"the change cannot be read":             {"git did not answer within 30s"},
	"the consultant is asked":               {"“is the split the cause?”"},
	"the folder of the channel is missing":  {"services/cart", "main"},
	"the image of a repository is missing":  {"shop", "there is no image `shop-ci:12` on this machine"},
	"the same branch":                       {"`release/1.4`"},
	"the same repository":                   {"shop"},
	"the work is blocked":                   {"eslint has to be installed here"},
	"what was taken out cannot be put back": {"`coupon/coupon.go:68`"},
	"whose approvals count cannot be read":  {""},
	"work is paused by the operator":        {"shop"},
	"a person whom Slack does not know":     {""},
	"a question is skipped": {
		"“Is the owner told?”", "“no”", `Say "back" to change that.`,
	},
	"a link to a message cannot be followed": {
		"`https://acme.slack.com/archives/C1/p101`", "it is in a private channel that I am not in",
	},
	"a part whose code is for members": {
		"web", "guests or people from another workspace are in this channel",
	},
	"a push to a pull request that is not open": {"#77 is closed already."},
	"a push to the branch of a colleague was asked for already": {
		"`cleo/split`",
	},
	"an approval is taken back by an edit": {
		"ann edited the approval to “no”.", "Work had begun. Nothing is pushed without a new approval.",
	},
	"no pull request into a fork": {
		"pull request", "`cleo/split`", "`bobbin/refunds`", "`https://github.com/acme/shop`",
	},
	"no title is allowed": {"`Hand out every cent`", "`^[A-Z]+-[0-9]+ .+`"},
	"the attempts failed": {
		"3 attempts", "The files are as they were before.",
		"1. rounded the running total: TestSplit fails",
	},
	"the message that asked for a backport is gone": {
		"ann deleted the message that asked for it.", "Nothing is pushed to `release/1.4`.",
	},
	"the push failed": {
		"ready and proven", "bobbin/refunds", "The host refuses it: the branch is protected.",
	},
	"the repository cannot be reached": {"the host does not accept the token."},
}

const gap = "…"

// filled returns a text that is read in the source with what the program fills in, in an example, which it
// takes out of words.
func filled(t *testing.T, all map[string][]string, heading, text string) string {
	t.Helper()
	words, ok := all[heading]
	if !ok {
		return text
	}
	delete(all, heading)
	require.Len(t, words, strings.Count(text, gap), "fillings of %q, which says %q", heading, text)
	for _, w := range words {
		text = strings.Replace(text, gap, w, 1)
	}
	return text
}
