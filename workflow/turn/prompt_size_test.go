package turn

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

// maxFirstPrompt is how many bytes an agent may be sent before anything about the session: its system
// prompt and its tools as JSON.
const maxFirstPrompt = 15 << 10

// firstTools returns the tools of each agent, in the order in which they are sent.
func firstTools() map[string][]model.Tool {
	env := &tool.Env{}
	skill := tool.LoadSkill(nil, nil, nil)
	reading := tool.Reading(env)
	join := func(lists ...[]model.Tool) (all []model.Tool) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	working := join(decision.Working(nil), []model.Tool{skill}, reading, tool.Running(env), tool.Writing(env))
	return map[string][]model.Tool{
		agent.Orchestrator: join(decision.Leading(nobody{}), []model.Tool{decision.ReadingThread(nil)},
			reading, tool.Running(env), []model.Tool{tool.Checking(env), skill}),
		string(workflow.CategoryQuick):  working,
		string(workflow.CategoryDeep):   working,
		string(workflow.CategoryVisual): working,
		agent.Consultant:                join(decision.Advising(nil, nil), []model.Tool{skill}, reading),
		agent.Critic:                    join(decision.Criticising(nil), reading),
		agent.Explainer:                 join(decision.Explaining(nil), reading),
		agent.Reviewer:                  join(decision.Reviewing(nil), reading),
	}
}

// nobody implements the orchestrator's tools without doing anything.
type nobody struct{ decision.OrchestratorTools }

// The text before a conversation is paid for with every request, and distracts from what matters.
func TestEveryAgentsFirstPromptIsShort(t *testing.T) {
	t.Parallel()
	tools := firstTools()
	for name, a := range agent.Table(nil) {
		require.NotEmpty(t, tools[name], name)
		size := len(a.Prompt)
		for _, x := range tools[name] {
			b, err := json.Marshal(map[string]any{
				"type": "function",
				"function": map[string]any{
					"name":        x.Name,
					"description": x.Description,
					"parameters":  x.Schema,
				},
			})
			require.NoError(t, err)
			size += len(b) + 1
		}
		t.Logf("%s: %d bytes, %d of them tools", name, size, size-len(a.Prompt))
		require.LessOrEqual(t, size, maxFirstPrompt, name)
	}
}
