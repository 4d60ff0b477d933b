package kills

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// The question before the words of a private thread are pushed, and its answer.
const (
	wordsQuestion = "This conversation is private, and everybody can read"
	wordsAnswer   = "push it so"
	wordsAsked    = "words_asked" // the point before the question is recorded
)

// A wordsRun is a program whose repository everybody may read, and whose only thread is private. Ann has
// had a report made, and the program is down.
type wordsRun struct{ *pressRun }

// TestWordsAreAskedForAndPushedOnce kills the program where it asks whether the words of a private thread
// may be pushed, and between the answer and the push. After the restart there is one question, one answer
// and one push, and nothing was pushed before the answer.
func TestWordsAreAskedForAndPushedOnce(t *testing.T) {
	t.Parallel()
	t.Run(wordsAsked, func(t *testing.T) {
		t.Parallel()
		w := openWords(t)
		w.dieAfter(func() { w.say("fix it") }, wordsAsked, "")
		require.Zero(t, w.count(`select count(*) from pushes`), "pushed before the answer")
		w.say(wordsAnswer)
		w.settle()
		require.Empty(t, w.faults())
	})
	for _, point := range []string{
		"event_written", "event_stored", "message_judged", "message_handled", "commit_made", "push_intended",
		"pushed",
	} {
		t.Run(point, func(t *testing.T) {
			harness.InSample(t, point, "message_handled")
			t.Parallel()
			w := openWords(t)
			w.ask()
			w.dieAfter(func() { w.say(wordsAnswer) }, point, "")
			require.Empty(t, w.faults())
		})
	}
}

// Each guard has a control: without the guard, a death at the same point must show a fault.
func TestWordsAreFoundOutWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ point, forget, want string }{
		"the row of the question": {
			"event_stored", `delete from disclosures`, "answers: 0, want 1",
		},
		"the answer, which is kept before the push": {
			"message_handled", `update disclosures set choice = '', permission_id = null, chosen_at = null`,
			fmt.Sprintf("%q stands 2 times, want 1", wordsQuestion),
		},
	} {
		t.Run(name, func(t *testing.T) {
			harness.InSample(t, name, "the row of the question")
			t.Parallel()
			w := openWords(t)
			w.ask()
			w.dieAfter(func() { w.say(wordsAnswer) }, x.point, x.forget)
			require.Contains(t, w.faults(), x.want)
		})
	}
}

func openWords(t *testing.T) *wordsRun {
	t.Helper()
	w := &wordsRun{&pressRun{chaos: &chaos{t: t, seed: 1, sessions: 1, replicas: 1, binary: withPoints(t)}}}
	w.open()
	w.config += `, visibility: public`
	w.places[0].Channel = w.slack.AddChannel(slacktest.Channel{
		Name: "secret", Kind: slacktest.Private, Members: []string{w.ann, w.slack.App().BotUser},
	}).ID
	w.request("bug 0", "· revision 1")
	w.down()
	return w
}

// ask has the report approved and fixed, up to the question.
func (w *wordsRun) ask() {
	w.t.Helper()
	w.begin()
	w.say("fix it")
	w.settle()
	require.Equal(w.t, 1, w.posted(w.first, wordsQuestion))
	w.down()
}

func (w *wordsRun) count(sql string) (n int) {
	require.NoError(w.t, w.db.QueryRow(context.Background(), sql).Scan(&n))
	return n
}

// faults returns a line for all that the question and its answer did not bring about once.
func (w *wordsRun) faults() (found []string) {
	for what, sql := range map[string]string{
		"questions":      `select count(*) from disclosures`,
		"answers":        `select count(*) from disclosures where choice = 'shown'`,
		"pushes":         `select count(*) from pushes where state = 'pushed'`,
		"other pushes":   `select 1 + count(*) from pushes where state <> 'pushed'`,
		"audited so far": `select count(*) - 1 from audit where what = 'disclosure'`,
	} {
		if n := w.count(sql); n != 1 {
			found = append(found, fmt.Sprintf("%s: %d, want 1", what, n))
		}
	}
	for _, text := range []string{wordsQuestion, "[quick] Done", "and pushed:"} {
		if n := w.posted(w.first, text); n != 1 {
			found = append(found, fmt.Sprintf("%q stands %d times, want 1", text, n))
		}
	}
	return found
}
