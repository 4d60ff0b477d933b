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

// An Agent is one row of the table.
type Agent struct {
	Name    string // orchestrator, or a category
	Display string // how its lines are signed; Name where empty
	Model   string
	Effort  string
	Prompt  string // the static system text
	Steps   int    // model calls a run, at most
	Time    time.Duration
}

// Signature is the name that stands before the agent's lines.
func (a Agent) Signature() string {
	if a.Display != "" {
		return a.Display
	}
	return a.Name
}

// A Setting is what the configuration says of an agent.
type Setting struct {
	Model, Effort, Display string
}

// Orchestrator is the name of the agent that speaks with people.
const Orchestrator = "orchestrator"

// The agents that only read. The explainer and the reviewer of scopes are the orchestrator's
// model with other prompts; so is the critic, who reviews a change before its push, unless it
// has settings of its own.
const (
	Consultant = "consultant"
	Critic     = "critic"
	Explainer  = "explainer"
	Reviewer   = "reviewer"
)

// DefaultModel is asked where the configuration names no model for an agent.
const DefaultModel = "gpt-5"

// Table is every agent with the configuration's settings laid over the defaults.
func Table(settings map[string]Setting) map[string]Agent {
	table := map[string]Agent{
		Orchestrator:                    {Prompt: prompt("orchestrator"), Steps: 150, Time: 45 * time.Minute, Effort: "medium"},
		string(workflow.CategoryQuick):  {Prompt: prompt("worker", "quick"), Steps: 40, Time: 15 * time.Minute},
		string(workflow.CategoryDeep):   {Prompt: prompt("worker", "deep"), Steps: 150, Time: 45 * time.Minute, Effort: "high"},
		string(workflow.CategoryVisual): {Prompt: prompt("worker", "visual-engineering"), Steps: 150, Time: 45 * time.Minute},
		Consultant:                      {Prompt: prompt("consultant"), Steps: 25, Time: 15 * time.Minute, Effort: "high"},
		Critic:                          {Prompt: prompt("critic"), Steps: 25, Time: 5 * time.Minute, Effort: "medium"},
		Explainer:                       {Prompt: prompt("explainer"), Steps: 15, Time: 5 * time.Minute},
		Reviewer:                        {Prompt: prompt("reviewer"), Steps: 15, Time: 5 * time.Minute},
	}
	for name, a := range table {
		a.Name, a.Model = name, DefaultModel
		set, own := settings[name]
		if lead := settings[Orchestrator]; name == Explainer || name == Reviewer || name == Critic {
			if !own {
				set = lead
			}
			set.Model, set.Display = cmp.Or(set.Model, lead.Model), cmp.Or(lead.Display, Orchestrator)
		}
		if name == Critic {
			set.Display = settings[Critic].Display
		}
		if set.Model != "" {
			a.Model, a.Effort = set.Model, set.Effort
		}
		if set.Effort != "" {
			a.Effort = set.Effort
		}
		a.Display = set.Display
		table[name] = a
	}
	return table
}

// prompt joins the named files. What several agents are told is a file of its own.
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
