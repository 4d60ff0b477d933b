package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// badCalls returns calls that no tool can accept, by what is wrong with them. n makes them differ between
// answers.
func badCalls(n int) map[string]model.Call {
	id := fmt.Sprintf("id%d", n)
	return map[string]model.Call{
		"no such tool":    {ID: id, Name: fmt.Sprintf("push%d", n), Args: json.RawMessage(`{}`)},
		"refused":         {ID: id, Name: "look", Refused: fmt.Sprintf("Not run: %d", n)},
		"arguments":       {ID: id, Name: "typed", Args: json.RawMessage(fmt.Sprintf(`{"n":"%d"}`, n))},
		"not even JSON":   {ID: id, Name: "typed", Args: json.RawMessage(fmt.Sprintf(`"{\"n\": %d"`, n))},
		"a field no tool": {ID: id, Name: "typed", Args: json.RawMessage(fmt.Sprintf(`{"n":1,"x%d":2}`, n))},
	}
}

// A malformed call gets an answer but is never run, and the third in a row ends the loop.
func TestMalformedCallsEndTheLoopAtTheThird(t *testing.T) {
	t.Parallel()
	for name := range badCalls(0) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			again := func(good func(n int) bool) (*page, []string, End) {
				p := &page{}
				ran := []string{}
				l := loop(p, &ran)
				l.Agent.Steps, n = 12, 0
				l.Tools = append(l.Tools, model.NewTool("typed", "", func(context.Context, struct {
					N int `json:"n"`
				},
				) (model.Result, error) {
					ran = append(ran, "typed")
					return model.Result{Text: "ok"}, nil
				}))
				l.Ask = func(context.Context, model.Request) (model.Response, error) {
					n++
					call := badCalls(n)[name]
					if good(n) {
						call = model.Call{
							ID:   call.ID,
							Name: "look",
							Args: json.RawMessage(fmt.Sprintf(`{"at":%d}`, n)),
						}
					}
					return model.Response{
						Message: model.Message{Role: model.Assistant, Calls: []model.Call{call}},
					}, nil
				}
				end, err := l.Run(t.Context())
				require.NoError(t, err)
				return p, ran, end
			}
			p, ran, end := again(func(int) bool { return false })
			require.Equal(t, EndMalformed, end)
			require.Equal(t, maxMalformed, n)
			require.Empty(t, ran)
			for _, m := range p.messages {
				require.True(t, m.Role == model.Assistant || m.Wrong && m.Malformed)
			}
			_, ran, end = again(func(n int) bool { return n%3 == 0 })
			require.Equal(t, EndSteps, end, "a good call between them starts the count anew")
			require.Len(t, ran, 4)
		})
	}
}

// Several malformed calls in one answer count as one mistake: the model has seen no result between them.
func TestSeveralMalformedCallsOfOneAnswerCountOnce(t *testing.T) {
	t.Parallel()
	var messages []model.Message
	add := func(calls ...model.Call) {
		messages = append(messages, model.Message{Role: model.Assistant, Calls: calls})
		for _, c := range calls {
			messages = append(messages,
				model.Message{Role: model.ToolRole, CallID: c.ID, Text: c.ID, Wrong: true, Malformed: true})
		}
	}
	add(model.Call{ID: "a"}, model.Call{ID: "b"}, model.Call{ID: "c"}, model.Call{ID: "d"})
	require.Empty(t, noProgressEnd(messages, nil))
	add(model.Call{ID: "e"})
	require.Empty(t, noProgressEnd(messages, nil))
	messages = append(messages, model.Message{Role: model.Assistant, Text: "hm"}, model.Message{
		Role: model.User,
		Text: silentNudge,
	})
	require.Empty(t, noProgressEnd(messages, nil))
	add(model.Call{ID: "f"})
	require.Equal(t, EndMalformed, noProgressEnd(messages, nil), "words between them do not make them fewer")
}

func TestAnswersWithoutACallAreNudgedByWhatTheyAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer model.Response
		end    End
		asked  int
	}{
		{model.Response{Message: model.Message{Text: "I would fix it."}}, EndSilent, 3},
		{model.Response{Message: model.Message{Text: " \n "}}, EndEmpty, 2},
		{model.Response{Message: model.Message{Text: "so far"}, Finish: model.FinishLength}, EndCut, 3},
		{model.Response{Finish: model.FinishFilter}, EndCut, 3},
		{
			model.Response{Message: model.Message{Text: "I will not"}, Finish: model.FinishRefusal},
			EndRefused,
			2,
		},
	} {
		t.Run(string(c.end), func(t *testing.T) {
			t.Parallel()
			p := &page{}
			ran := []string{}
			asked := 0
			l := loop(p, &ran)
			c.answer.Message.Role = model.Assistant
			l.Ask = func(context.Context, model.Request) (model.Response, error) {
				asked++
				return c.answer, nil
			}
			end, err := l.Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.end, end)
			require.Equal(t, c.asked, asked)
			require.Empty(t, ran)
			require.Equal(t, model.User, p.messages[1].Role)
			require.Contains(t, p.messages[1].Text, "(program)")
		})
	}
}

// Equal calls with equal results count as the same, even if they took different times.
func TestTimeMakesNoCallAnother(t *testing.T) {
	t.Parallel()
	var messages []model.Message
	for i := range maxSame {
		id := strconv.Itoa(i)
		messages = append(messages,
			model.Message{
				Role: model.Assistant,
				Calls: []model.Call{{
					ID: id, Name: "run", Args: json.RawMessage(`{"command":"go test ./..."}`),
				}},
			},
			model.Message{
				Role:   model.ToolRole,
				CallID: id,
				Text:   "exit code 1" + model.After(time.Duration(i+1)*time.Minute) + "\nFAIL after 3s\n",
			})
	}
	require.Contains(t, messages[1].Text, "exit code 1 after 1m0s\n")
	require.Equal(t, EndStuck, noProgressEnd(messages, nil))
	messages[1].Text = "exit code 1 after 2s\nFAIL after 4s\n"
	require.Empty(t, noProgressEnd(messages, nil), "what it printed counts")
}

// A worker that builds after each edit repeats the build, and makes progress. Edits back and forth are none.
func TestTheSameBuildAfterAnotherEditIsProgress(t *testing.T) {
	t.Parallel()
	tools := []model.Tool{{Name: "edit_file", ChangesFiles: true}, {Name: "run"}}
	work := func(edit func(i int) string, wrong bool) []model.Message {
		var messages []model.Message
		for i := range 2 * maxSame {
			a := fmt.Sprint("edit", i)
			b := fmt.Sprint("run", i)
			messages = append(messages,
				model.Message{
					Role:  model.Assistant,
					Calls: []model.Call{{ID: a, Name: "edit_file", Args: json.RawMessage(edit(i))}},
				},
				model.Message{Role: model.ToolRole, CallID: a, Text: "done", Wrong: wrong},
				model.Message{
					Role: model.Assistant,
					Calls: []model.Call{{
						ID: b, Name: "run", Args: json.RawMessage(`{"command":"go build ./..."}`),
					}},
				},
				model.Message{Role: model.ToolRole, CallID: b, Text: "exit code 0\n(no output)"})
		}
		return messages
	}
	another := func(i int) string { return fmt.Sprintf(`{"new":"%d"}`, i) }
	require.Empty(t, noProgressEnd(work(another, false), tools))
	require.Equal(t, EndStuck, noProgressEnd(work(another, true), tools), "nothing was edited")
	require.Equal(t, EndStuck,
		noProgressEnd(work(func(i int) string { return another(i % 2) }, false), tools), "back and forth")
}
