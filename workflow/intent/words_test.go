package intent_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/answer"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/command"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
)

// sayings are messages of a team. For each reader, yes holds those that it has to accept, and no the
// look-alikes that it has to reject.
var sayings = []struct {
	name    string
	read    func(string) bool
	yes, no []string
}{
	{
		"wraps up", intent.WrapsUp,
		[]string{
			"wrap up", "Wrap up.", "WRAP IT UP!", "wrap it up please", "Wrap this up, thanks 🙏",
			"let's wrap up", "let’s wrap it up now", "ok, wrap it up", "can we wrap up?",
			"Could you please wrap this up?", "that's enough", "That’s enough!",
			"ok that's enough questions", "thats enough", "enough questions", "Enough questions already",
			"enough, take the defaults", "take the defaults", "take the defaults for the rest",
			"just take the defaults please", "use the defaults",
			"go with the defaults for everything else", "just use your recommendations",
			"Use your recommendations for the rest, please", "use the recommended answers",
			"accept all the recommendations", "skip the rest", "skip the remaining questions",
			"skip the rest of the questions pls", "no more questions", "stop asking",
			"stop asking me questions", "you decide the rest", "I have to go, wrap up",
			"that's enough. use the defaults", "thanks, that's enough, just use your recommendations",
			":pray: wrap up", "use defaults", "skip the rest and start", "skip the others",
			"wrap up then", "go with your recommendations for all", "I think that’s enough",
		},
		[]string{
			"", "wrap", "wrap the cart in paper", "gift wrap up to three items", "wrap up the present",
			"is that enough?", "wrap up?", "should we wrap up?", "> wrap up", "`wrap up`", "“wrap up”",
			"she said “that's enough”", "don't wrap up", "don’t wrap up yet", "do not take the defaults",
			"never skip the rest", "more questions", "any more questions?", "why no more questions?",
			"that's enough for one order", "that is not enough", "not enough questions",
			"skip the rest step in the checkout", "take the default", "use your recommendation",
			"the defaults are wrong", "the wrapper is up", "ten, that's enough",
			"wrap up after the export question", "<@U2> wrap up", "enough is enough for the cart",
			"take the defaults, but ask about the export",
		},
	},
	{
		"wants more", intent.WantsMore,
		[]string{
			"more questions", "More questions!", "a few more questions please", "some more questions",
			"yes, more questions", "I want more questions", "I’d like a few more questions", "keep going",
			"Keep going 👍", "keep going please", "ok keep going", "let's keep going", "keep asking",
			"keep asking questions", "keep the questions coming", "go on asking", "Go on asking, please",
			"go on with the interview", "carry on asking", "continue asking", "continue the interview",
			"ask me more", "Ask me more!", "ask more questions", "ask away", "sure, ask me more",
			"don't wrap up yet", "don’t stop asking", "next question", "can you ask me more?",
			"keep going, I have time", "KEEP GOING!!", "a couple more questions",
		},
		[]string{
			"", "more", "no more questions", "any more questions?", "are there more questions?",
			"why more questions?", "more questions?", "it asks more than it should", "going", "keep it",
			"keep going back to the cart", "go on", "continue", "> more questions", "`more questions`",
			"“keep going”", "don't keep going", "don't ask me more", "do not go on asking",
			"never ask more questions", "stop asking", "I have more questions",
			"we get more questions from customers", "more questions on the help page", "ask the oracle",
			"ask more of the customer", "keep going is the label", "wrap up", "<@U2> ask me more",
			"the importer should keep going", "not more questions",
		},
	},
	{
		"confirms", intent.Confirms,
		[]string{
			"yes", "Yes!", "YES", "yes.", "yes please", "Yes, that’s right", "yes, start", "yes - go ahead",
			"yep", "yeah, looks good", "correct", "Correct.", "that's right", "That is correct!",
			"thats right", "exactly", "Exactly right.", "exactly, go ahead", "confirmed", "confirmed.",
			"I confirm", "looks good", "Looks good to me 👍", "lgtm", "LGTM!", "go ahead",
			"please go ahead", "go ahead please", "start", "Start!", "please start", "yes, let's start",
			"👍", "👍🏽", "👍👍", ":+1:", ":+1::skin-tone-3:", ":thumbsup:", ":white_check_mark:", "✅", "👌",
			"✔️", "👍 yes", "perfect, thanks!", "agreed", "spot on", "all good", "yes, that's it",
			"yes, thank you", "yes and start", "sounds good, do it", ", yes", "ok", "yes!!!", "yes 🎉",
			"+1", "great, start", "confirm ✅", "looks good, thanks a lot",
		},
		[]string{
			"", "no", "almost", "nearly", "yes, but only for members", "yes but not the export", "yes?",
			"yes??", "yes…", "yes...", "is that right?", "right?", "is it correct",
			"correct me if I am wrong", "not right", "not correct", "that's not right", "that’s not it",
			"that isn't right", "don't go ahead", "do not start", "never", "no, go ahead with the other",
			"> yes", "> it is right\nyes", "`yes`", "“yes”", "'yes'", "```\nyes\n```", "she said yes",
			"yes and also the cart", "yes, once CI is green", "yes if Ada agrees", "yes, start on Monday",
			"go ahead after the release", "start with the cart", "👎", ":-1:", "yes 👎", "yes 🤔",
			"yes :thinking_face:", "<@U2> yes", "yes <@U2>", "@ada yes", "уes", "y\u200bes", "yes\u202e",
			"ｙｅｓ", "yesterday", "looks good apart from 3", "exactly the opposite", "wrap up", "wait",
			"maybe", "great", "good", "I guess", "yes no", "yes, no", "yes \"no\"",
			"correct the second one",
		},
	},
	{
		"asks about the diff", intent.AsksAboutDiff,
		[]string{
			"why so large?", "Why so large", "WHY SO BIG?!", "hm, why so many lines?", "ok… but why so huge?",
			"why is the diff so big?", "Why is the diff so large? 🤔", "why is your change so large?",
			"why is the patch so complicated?", "but why is the fix so big for a one-cent bug?",
			"why is it so large?", "why did you touch cart.go?", "why did you touch `cart.go`?",
			"Why did you change the rounding?", "why are you editing the handler?",
			"why have you deleted the test?", "why didn't you use math/big?",
			"why is cart.go in the diff?", "why was `money/split.go` changed?", "why are tests deleted?",
			"why 400 lines?", "Why 400 lines for a rounding bug?", "why 12 files?", "why +400/-20?",
			"why so many files?", "why the new file?", "why a second helper?",
			"why are these changes needed?", "explain the diff", "Explain the diff, please.",
			"explain the change", "could you explain the changes to cart.go?",
			"please explain why the diff is so big", "explain why you touched cart.go",
			"can you explain your changes?", "what changed?", "what changed and why?",
			"What did you change, and why?", "what’s in the diff?", "what does this commit do?",
			"walk me through the diff", "please walk us through the change", "justify the diff",
			"which files did you touch?", "how many lines did you change?", "how big is the diff?",
			"are all these changes needed?", "is the diff really this large?", "show me the diff",
			"thanks! why so large?",
			"Bea looked at the branch. Why did you touch cart.go? It has nothing to do with totals.",
			"how come the diff is so big", "why is there a new file?", "do we need the new file?",
			"what’s this new helper for?", "explain hunk 3", "what did you do in cart.go?",
			"That is " + strings.Repeat("really ", 100) + "much. Why so large?",
		},
		[]string{
			"", "why?", "why", "why does the total differ?",
			"why is the total so large on receipts with discounts?", "why is the total wrong?",
			"why so slow?", "why so many coupons?", "why are there 400 lines on the receipt?",
			"why 3 lines on the receipt?", "why does the refund fail?", "why was the order deleted?",
			"why was the order changed?", "why did it break?", "why did you say that?",
			"why are you looking at the cart?", "why is the change wrong for 20 euro notes?",
			"why is the page so big?", "fix it", "fix the diff tool", "the diff tool is broken",
			"why is the diff viewer empty?", "why does the patch endpoint return 404?", "explain the bug",
			"explain the total", "explain", "what changed in the tax rates?",
			"what changed since Monday, it worked then", "what happened?", "what are you doing?",
			"make the diff smaller", "could you make the diff smaller?", "why so large? Make it smaller.",
			"don't touch cart.go, why did you change it?", "why did you touch cart.go? revert that",
			"why so large, only change Split", "why so large? It should be one line.", "> why so large?",
			"`why so large?`", "“why is the diff so big?”", "<@U2> why so large?", "split the commit",
			"the change is large", "what does the button do?", "where is the fix?",
			"can you explain the root cause?", "is the total different?", "how many lines has the order?",
			"which orders are touched?", "is the fix deployed?",
		},
	},
	{
		"asks who knows", intent.AsksWhoKnows,
		[]string{
			"who knows this?", "Who knows this code?", "who knows money/split.go?",
			"do you know who wrote this?", "who should review?", "Who should review this?",
			"who should review the fix", "who should look at this?", "who could I ask?",
			"Who can we ask about this?", "who owns `money/split.go`?", "who are the owners?",
			"who is the maintainer of this module?", "thanks! who knows this?",
			"ok, who wrote that line?", "can you tell me who owns this folder?",
			"any idea who last changed split.go?", "who knows about this best?",
			"who is responsible for this?", "Who is the author of this?", "who wrote coupon.go?",
			"hey, who knows the code here?", "who works on this module?",
			"who knows coupon/coupon.go and money/split.go?", "who last touched money/split.go:13?",
			"who must review this change?", "Who here knows this?",
			"do you happen to know who maintains this package?", "who should take a look?",
		},
		[]string{
			"", "who knows?", "who knows", "who knows why", "who knows this customer?", "who are you?",
			"who approved this?", "who can approve?", "who should pay the refund?",
			"who knows this? fix it", "The total is off for refunds. Who knows this?",
			"> who knows this?", "`who knows this?`", "“who knows this?”", "<@U2> who knows this?",
			"fix it, who knows this", "who is online?", "who reported this?",
			"who should look at the invoices of March?", "whoever knows this should look",
			"who knows what it does", "who ordered this?", "who is the customer?", "ask who knows this",
			"I know who wrote this", "who should fix this?", "who pays for this?",
		},
	},
	{
		"redirects", intent.Redirects,
		[]string{
			"wrong, it only happens for carts with two coupons", "Wrong: it is the refund job", "wrong file",
			"wrong endpoint, it's /refunds", "that's wrong, look at tax",
			"you're looking at the wrong file", "you are on the wrong track", "thanks, but wrong branch",
			"no, the other file", "No! The other file.", "no, it also happens for guests",
			"no it's the refund job", "no no, the other one", "nope, it's tax", "no, `refund.go`",
			"hm, no - the guard", "stop doing that, it is the cache", "Stop doing that.",
			"please stop changing the tests", "stop, it's the refund job", "stop that, look at tax",
			"not that endpoint, the other", "Not the cart but the refund job", "not what I meant",
			"not quite, only members see it", "actually it is the refund job",
			"Actually, only members see it", "actually… it's tax", "wait, look at tax first",
			"wait - it is the refund job", "Wait! Wrong file.", "hold on, Ada says it's tax",
			"wait, isn't it the refund job?", "wait a second, that is a test", "don't touch the handler",
			"Please don’t touch the handler!", "do not change the API", "dont rewrite Split",
			"pls don't add a dependency", "forget the coupon, look at tax", "Forget about coupons",
			"forget it, it's the proxy", "ignore the coupon", "instead, look at tax",
			"look at tax instead", "check the refund job, not the cart", "use decimals instead of floats",
			"scratch that", "Scratch that.", "never mind the coupon, it is tax",
			"on second thought, leave it out", "narrower: only members", "Narrower - just the guard",
			"narrow it to members", "that is not the bug", "That’s not it, the total is right",
			"this isn't the cause", "it's not the cart", "it's the refund job, not the cart",
			"I looked at the logs. It is not the cart.", "leave the handler alone",
			"leave receipts alone", "it only happens for two coupons", "only for members",
			"only with three lines or more", "I meant the other endpoint", "the other file!",
			"the bug is somewhere else", "sorry, my mistake, it is order 1043", "revert that",
			"change of plan: fix tax first", "let's not change the API", "good find, but wrong file",
			"your fix is wrong, it breaks guests", "I think you’re wrong about the rounding",
		},
		[]string{
			"", "also check percent coupons", "Also don't forget guests", "thanks", "Thanks, looks right",
			"fyi the customer is angry", "FYI: it only hits members", "what are you doing?",
			"good find", "Good find!", "nice", "now it works for me", "nothing else", "no", "No.", "nope",
			"wait", "wait!", "hold on", "stop", "yes", "👍", "ok",
			"no, thanks", "no worries", "no problem, take your time", "no rush", "no, that's fine",
			"no it’s fine", "no errors in the log", "no other carts are affected",
			"no share may be special: round the running total", "actually, good find", "actually thanks",
			"actually the customer wrote again",
			"wait, that’s actually good", "no, no need to hurry", "oh no, production is down",
			"skip the rest", "actually that's right", "actually also check guests",
			"wait times are long on that page",
			"wait for the build", "don't worry", "don't forget guests", "don't you think so?", "I don't know",
			"not bad", "not sure", "not yet", "not urgent", "not that it matters",
			"stop the bleeding in the cart", "the job does not stop", "it shows 12 instead of 10",
			"the receipt shows tax instead of the total", "that's not the only place",
			"it's not urgent", "it happens for guests, too", "it is not the only cart",
			"wrong totals on the receipt, too", "the total is wrong", "is it the wrong file?",
			"sorry, wrong thread. Go on please", "> wrong, it only happens for guests", "`wrong`",
			"“no, the other file”", "she said “scratch that”", "how far are you?",
			"the customer paid 25.00", "order 1042 was paid twice", "keep going", "go on",
			"look at the log I attached", "ada will check it", "<@U2> no, the other file",
			"narrower columns would be nice", "forgot to say: it is order 1042",
			"could you look at tax after that?", "percent coupons are off, too",
			"wrong, it only happens for carts" + strings.Repeat(" with coupons", 60),
		},
	},
	{
		"vague", intent.Vague,
		[]string{
			"add dark mode", "Add dark mode!", "dark mode", "dark mode please 🙏", "export to csv please",
			"can you add dark mode?", "could you please add dark mode to the app", "we need a wish list",
			"I'd like to have gift wrapping", "gift wrapping", "add gift wrapping", "make the cart nicer",
			"improve the search", "better errors", "support coupons", "please add coupons",
			"add a wish list for guests", "hey, can we have notifications", "new admin page",
			"redesign the checkout page", "speed up the import", "make it faster", "add login",
			"sorting in the order list", "more languages", "let people pay later",
		},
		[]string{
			"", "   ", "!", "add `dark mode` to the cart", "add a button \"pay later\"",
			"add a button “pay later”", "add a 'pay later' button", "orders must be exported every night",
			"totals should be rounded",
			"add a column last_seen to sessions and show it on the admin page", "add column last_seen",
			"add 2 columns", "show 10 orders a page", "dark mode in web/cart.css",
			"dark mode, see tokens.css", "export when an order ships", "wish list so that guests return",
			"only members see prices", "close the cart if it is empty", "hide it because nobody uses it",
			"sort orders using the date", "add dark mode\nwith a switch",
			"dark mode like shop.example has it",
			"add a wish list to which guests and members add things they want to buy another day",
			"import orders with their coupons", "add #1042 to the list",
			"receipts name the currency, people abroad ask for it a lot",
			"the @internal role sees https://shop.example", strings.Repeat("dark", 200),
		},
	},
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range sayings {
		require.GreaterOrEqual(t, len(c.yes), 25, c.name)
		require.GreaterOrEqual(t, len(c.no), 25, c.name)
		for _, s := range c.yes {
			if !c.read(s) {
				t.Errorf("%s: %q was not read so", c.name, s)
			}
		}
		for _, s := range c.no {
			if c.read(s) {
				t.Errorf("%s: %q was read so", c.name, s)
			}
		}
	}
}

// What a person says in an interview or during work is not read as an approval by accident.
func TestWordsAreNoApproval(t *testing.T) {
	t.Parallel()
	own := []string{
		"lgtm", "go ahead", "exactly, go ahead", "sounds good, do it", "stop, it's the refund job",
	}
	for _, c := range sayings {
		if c.name == "vague" {
			continue
		}
		for _, s := range c.yes {
			plain := strings.Trim(strings.ReplaceAll(strings.ToLower(s), "please", ""), " .!,")
			if kind := intent.ReadConsent(s).Kind; kind == approve || kind == stop {
				require.Contains(t, own, plain, "%q is %s", s, kind)
			}
		}
	}
}

// FuzzWords checks that no text breaks the readers, and that they reject a long text, except AsksAboutDiff.
func FuzzWords(f *testing.F) {
	for _, c := range sayings {
		for _, s := range append(c.yes, c.no...) {
			f.Add(s, "oracle")
		}
	}
	f.Add("ask pythia whether it is safe", "pythia")
	f.Add("go back to question 3", "oracle")
	f.Add("change question 12 to Round up", "oracle")
	f.Fuzz(func(t *testing.T, text, name string) {
		options := []string{"Round down", "Round up", name}
		n, named := answer.OptionNamed(text, options)
		require.True(t, !named && n == 0 || named && n >= -1 && n < len(options), "%q: %d", text, n)
		long := utf8.RuneCountInString(text) > 600
		require.False(t, long && named)
		move, to := answer.MoveOf(words.Prepare(text))
		require.True(t, to == 0 || move == answer.MoveBack && to > 0 && to < 100, "%q: %d", text, to)
		earlier := answer.EarlierIn(text)
		require.True(t, earlier.Number >= 0 && earlier.Number < 100, "%q: %d", text, earlier.Number)
		require.False(t, long && (move != "" || earlier.Number > 0))
		for _, c := range sayings {
			if c.read(text) && c.name != "asks about the diff" {
				require.False(t, long, "%s: %q", c.name, text)
			}
		}
		if intent.Confirms(text) {
			require.NotContains(t, text, "?")
			require.False(t, negated.MatchString(text), "a negation confirms: %q", text)
		}
		c, rest := command.ReadFor(text, name)
		if c == workflow.CommandNone {
			require.Empty(t, rest)
		}
		lesson, changes := command.ReadLesson(text)
		require.True(t, changes == (lesson.List || lesson.Number > 0 || lesson.Text != "") &&
			lesson.Number >= 0, "%q", text)
		task, of := intent.TaskNamed(text)
		require.True(t, task == 0 || task < 1000 && of != "", "%q", text)
		quoted := "> " + strings.ReplaceAll(text, "\n", "\n> ")
		c, _ = command.ReadFor(quoted, name)
		require.Equal(t, workflow.CommandNone, c, quoted)
		require.False(t, intent.Confirms(quoted), quoted)
	})
}
