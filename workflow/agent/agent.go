package agent

import (
	"cmp"
	"embed"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
)

//go:embed prompts/*.md
var prompts embed.FS

// An Agent holds the settings of one agent: its model, its prompt and its limits.
type Agent struct {
	Name    string // Orchestrator, a worker's category, or one of the agents that only read
	Display string // name that is shown before its lines; Name is shown if it is empty
	Model   string
	Effort  string
	Prompt  string        // the system prompt, the same in every run
	Steps   int           // limit of the model calls in one run
	Time    time.Duration // limit of one run, without the calls of tools that are Untimed
}

// Signature returns the name that is shown before the agent's lines: Display, or Name if Display is empty.
func (a Agent) Signature() string {
	if a.Display != "" {
		return a.Display
	}
	return a.Name
}

// A Setting holds what the configuration sets for one agent. Empty fields keep the defaults, except that a
// configured Model without an Effort also clears the default effort.
type Setting struct {
	Model, Effort, Display string
}

// Orchestrator is the name of the agent that speaks with people.
const Orchestrator = "orchestrator"

// The names of the agents that only read. The explainer and the reviewer of scopes use the orchestrator's
// model with their own prompts. So does the critic, which reviews a change before its push, unless the
// configuration has settings for it.
const (
	Consultant = "consultant"
	Critic     = "critic"
	Explainer  = "explainer"
	Reviewer   = "reviewer"
)

// DefaultModel is the model of an agent for which the configuration names none.
const DefaultModel = "gpt-5"

// Table returns all agents by name: the defaults, overridden by the settings of the configuration.
func Table(settings map[string]Setting) map[string]Agent {
	table := map[string]Agent{
		Orchestrator: {
			Prompt: prompt("orchestrator"), Steps: 150, Time: 45 * time.Minute, Effort: "medium",
		},
		string(workflow.CategoryQuick): {
			Prompt: prompt("worker", "quick"), Steps: 40, Time: 15 * time.Minute,
		},
		string(workflow.CategoryDeep): {
			Prompt: prompt("worker", "deep"), Steps: 150, Time: 45 * time.Minute, Effort: "high",
		},
		string(workflow.CategoryVisual): {
			Prompt: prompt("worker", "visual-engineering"), Steps: 150, Time: 45 * time.Minute,
		},
		Consultant: {
			Prompt: prompt("consultant"), Steps: 25, Time: 15 * time.Minute, Effort: "high",
		},
		Critic: {
			Prompt: prompt("critic"), Steps: 25, Time: 5 * time.Minute, Effort: "medium",
		},
		Explainer: {Prompt: prompt("explainer"), Steps: 15, Time: 5 * time.Minute},
		Reviewer:  {Prompt: prompt("reviewer"), Steps: 15, Time: 5 * time.Minute},
	}
	for name, a := range table {
		a.Name = name
		a.Model = DefaultModel
		set, own := settings[name]
		if lead := settings[Orchestrator]; name == Explainer || name == Reviewer || name == Critic {
			if !own {
				set = lead
			}
			set.Model = cmp.Or(set.Model, lead.Model)
			set.Display = cmp.Or(lead.Display, Orchestrator)
		}
		if name == Critic {
			set.Display = settings[Critic].Display
		}
		if set.Model != "" {
			a.Model = set.Model
			a.Effort = set.Effort
		}
		if set.Effort != "" {
			a.Effort = set.Effort
		}
		a.Display = set.Display
		table[name] = a
	}
	return table
}

// prompt returns the named prompt files, joined with blank lines. Text that several agents share is in one
// file.
func prompt(files ...string) string {
	var parts []string
	for _, f := range files {
		b, err := prompts.ReadFile("prompts/" + f + ".md")
		if err != nil {
			panic(err) // every test would show it
		}
		parts = append(parts, strings.TrimSpace(string(b)))
	}
	return strings.Join(parts, "\n\n")
}
