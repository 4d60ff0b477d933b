package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/workflow/agent"
)

// A ModelTable holds the agents and the models of a configuration.
type ModelTable struct {
	Agents map[string]AgentModel `yaml:"agents"`
	Models map[string]Model      `yaml:"models"`

	SharedURL string // the endpoint of models without a url; empty: OpenAI's. It is not in the file.
}

// An AgentModel holds settings that override an agent's defaults.
type AgentModel struct {
	Model  string `yaml:"model"`
	Effort string `yaml:"effort"` // none, minimal, low, medium, high or xhigh
	Name   string `yaml:"name"`   // the name under which its lines appear
}

// A Model holds the price of a model, its fallbacks, whether it can see pictures, and its context window.
type Model struct {
	// default of the three prices, if none is set: the table that comes with the program; 0 means free
	Input *float64 `yaml:"input_usd_per_million"`
	// default: as Input
	Cached   *float64 `yaml:"cached_usd_per_million"`
	Output   *float64 `yaml:"output_usd_per_million"`
	Fallback []string `yaml:"fallback"`
	// it can see pictures; default: it only gets a text that says there are some
	Vision bool `yaml:"vision"`
	// size of its context window; default: learned from the endpoint when a conversation is too long
	Window int `yaml:"context_tokens"`

	ModelEndpoint
}

// check adds the problems of the table to p.
func (mt *ModelTable) check(p *strictyaml.Problems) {
	mt.checkAgents(p)
	mt.checkModels(p)
}

// efforts are the values that model endpoints know; whether a model accepts one depends on the model.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh"}

func (mt *ModelTable) checkAgents(p *strictyaml.Problems) {
	// The explainer and the reviewer always use the orchestrator's settings.
	known := slices.DeleteFunc(slices.Sorted(maps.Keys(agent.Table(nil))), func(name string) bool {
		return name == agent.Explainer || name == agent.Reviewer
	})
	for name, a := range mt.Agents {
		at := "$.agents." + name
		p.OneOf(at, "agent", name, known)
		if a.Effort != "" {
			p.OneOf(at+".effort", "effort", a.Effort, efforts)
		}
		if strings.ContainsFunc(a.Model, unicode.IsSpace) {
			p.At(at+".model", "model %q has white space in it", a.Model)
		}
		if a.Name != strings.TrimSpace(a.Name) || strings.ContainsAny(a.Name, "[]\n") ||
			utf8.RuneCountInString(a.Name) > 40 {
			p.At(at+".name", "the name %q has to be one line of at most 40 characters, "+
				"without brackets or white space around it", a.Name)
		}
	}
}

// minWindow is about what an agent's instructions, its tools and a first look at a repository take, in
// tokens.
const minWindow = 8000

// maxPrice is the upper limit of a price in USD per million tokens; a larger one is a mistake.
const maxPrice = 1e5

// checkModels checks all models. A model that no agent uses and that is no fallback is a problem: its name
// is probably misspelt, and the intended model would silently lack its price or its fallback.
func (mt *ModelTable) checkModels(p *strictyaml.Problems) {
	used := mt.namesInUse()
	for name, m := range mt.Models {
		at := "$.models." + name
		if !slices.Contains(used, name) {
			p.At(at, "no agent uses it, and it is the fallback of no model%s",
				cli.DidYouMean(name, used))
		}
		for key, usd := range map[string]*float64{"input": m.Input, "cached": m.Cached, "output": m.Output} {
			switch field, price := key+"_usd_per_million", deref(usd); {
			case price < 0:
				p.At(at+"."+field, "%s may not be below zero", field)
			case price > maxPrice:
				p.At(at+"."+field, "%s may not be more than %.0f", field, maxPrice)
			}
		}
		if m.Window < 0 || m.Window > 0 && m.Window < minWindow {
			p.At(at+".context_tokens", "context_tokens has to be %d or more: "+
				"no model that can use tools reads less", minWindow)
		}
		m.ModelEndpoint.check(p, at)
		for i, other := range m.Fallback {
			if other == "" || strings.ContainsFunc(other, unicode.IsSpace) {
				p.At(fmt.Sprintf("%s.fallback[%d]", at, i), "fallback %q is not the name of a model", other)
			}
		}
		if mt.standsInForItself(name, name, map[string]bool{}) {
			p.At(at+".fallback", "%q is its own fallback", name)
		}
	}
}

// namesInUse returns the models of the agents, the default model, and all fallbacks.
func (mt *ModelTable) namesInUse() []string {
	used := map[string]bool{agent.DefaultModel: true}
	for _, a := range mt.Agents {
		used[a.Model] = true
	}
	for _, m := range mt.Models {
		for _, name := range m.Fallback {
			used[name] = true
		}
	}
	return slices.Sorted(maps.Keys(used))
}

func (mt *ModelTable) standsInForItself(name, from string, seen map[string]bool) bool {
	seen[from] = true
	for _, next := range mt.Models[from].Fallback {
		if next == name || !seen[next] && mt.standsInForItself(name, next, seen) {
			return true
		}
	}
	return false
}

// ModelsAsked returns the models in use: those of the agents and their fallbacks, sorted.
func (mt *ModelTable) ModelsAsked() (names []string) {
	for _, row := range agent.Table(nil) {
		if row.Name == agent.Explainer || row.Name == agent.Reviewer {
			continue // they use the orchestrator's model
		}
		name := cmp.Or(mt.Agents[row.Name].Model, row.Model)
		if row.Name == agent.Critic {
			name = cmp.Or(mt.Agents[row.Name].Model, mt.Agents[agent.Orchestrator].Model, row.Model)
		}
		for _, name := range append([]string{name}, mt.Models[name].Fallback...) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
