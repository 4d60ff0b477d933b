// Package models is the part of the configuration that says which models agents ask: what each
// costs, where it is served, and what stands in for it. It checks the names and addresses; nothing
// here asks an endpoint.
package models

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

// A Table is the agents and the models of a configuration.
type Table struct {
	Agents map[string]Agent `yaml:"agents"`
	Models map[string]Model `yaml:"models"`
}

// An Agent is laid over the agent's defaults.
type Agent struct {
	Model  string `yaml:"model"`
	Effort string `yaml:"effort"` // none, minimal, low, medium, high or xhigh
	Name   string `yaml:"name"`   // how its lines are signed
}

// A Model is what a model costs, who answers in its place, and whether it can see.
type Model struct {
	Input    float64  `yaml:"input_usd_per_million"`
	Cached   float64  `yaml:"cached_usd_per_million"` // default: as Input
	Output   float64  `yaml:"output_usd_per_million"`
	Fallback []string `yaml:"fallback"`
	Vision   bool     `yaml:"vision"`         // it can see pictures; default: it is told in words that there are some
	Window   int      `yaml:"context_tokens"` // how many it reads; default: as its endpoint says when a conversation is too long

	Endpoint
}

// Check adds what makes no sense to p.
func (t *Table) Check(p *strictyaml.Problems) {
	t.checkAgents(p)
	t.checkModels(p)
}

// efforts are those that model endpoints know; which of them a model takes is its own business.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh"}

func (t *Table) checkAgents(p *strictyaml.Problems) {
	// The explainer and the reviewer are the orchestrator in another chair.
	known := slices.DeleteFunc(slices.Sorted(maps.Keys(agent.Table(nil))), func(name string) bool {
		return name == agent.Explainer || name == agent.Reviewer
	})
	for name, a := range t.Agents {
		at := "$.agents." + name
		p.OneOf(at, "agent", name, known)
		if a.Effort != "" {
			p.OneOf(at+".effort", "effort", a.Effort, efforts)
		}
		if strings.ContainsFunc(a.Model, unicode.IsSpace) {
			p.At(at+".model", "model %q has white space in it", a.Model)
		}
		if a.Name != strings.TrimSpace(a.Name) || strings.ContainsAny(a.Name, "[]\n") || utf8.RuneCountInString(a.Name) > 40 {
			p.At(at+".name", "the name %q has to be one line of at most 40 characters, without brackets or white space around it", a.Name)
		}
	}
}

// leastWindow is what an agent's instructions, tools and a first look at a repository take.
const leastWindow = 8000

// mostPrice is more than any team means to write, in USD per million.
const mostPrice = 1e5

// checkModels also finds names that are known nowhere else: a misspelt one would go
// without its price or its fallback, unnoticed.
func (t *Table) checkModels(p *strictyaml.Problems) {
	used := t.namesInUse()
	for name, m := range t.Models {
		at := "$.models." + name
		if !slices.Contains(used, name) {
			p.At(at, "model %q is used by no agent and stands in for none%s", name, cli.DidYouMean(name, used))
		}
		for key, price := range map[string]float64{"input": m.Input, "cached": m.Cached, "output": m.Output} {
			switch field := key + "_usd_per_million"; {
			case price < 0:
				p.At(at+"."+field, "%s of %q may not be below zero", field, name)
			case price > mostPrice:
				p.At(at+"."+field, "%s of %q may not be more than %.0f", field, name, mostPrice)
			}
		}
		if m.Window < 0 || m.Window > 0 && m.Window < leastWindow {
			p.At(at+".context_tokens", "context_tokens of %q has to be %d or more: no model that can use tools reads less", name, leastWindow)
		}
		m.Endpoint.check(p, at)
		for i, other := range m.Fallback {
			if other == "" || strings.ContainsFunc(other, unicode.IsSpace) {
				p.At(fmt.Sprintf("%s.fallback[%d]", at, i), "fallback %q is no name of a model", other)
			}
		}
		if t.standsInForItself(name, name, map[string]bool{}) {
			p.At(at+".fallback", "%q would stand in for itself", name)
		}
	}
}

// namesInUse are those of the agents, by the file or by default, and their fallbacks.
func (t *Table) namesInUse() []string {
	used := map[string]bool{agent.DefaultModel: true}
	for _, a := range t.Agents {
		used[a.Model] = true
	}
	for _, m := range t.Models {
		for _, name := range m.Fallback {
			used[name] = true
		}
	}
	return slices.Sorted(maps.Keys(used))
}

func (t *Table) standsInForItself(name, from string, seen map[string]bool) bool {
	seen[from] = true
	for _, next := range t.Models[from].Fallback {
		if next == name || !seen[next] && t.standsInForItself(name, next, seen) {
			return true
		}
	}
	return false
}

// ModelsWithoutPrice are the models in use that the table gives no price.
func (t *Table) ModelsWithoutPrice() (names []string) {
	for _, name := range t.ModelsAsked() {
		if m := t.Models[name]; m.Input == 0 && m.Output == 0 {
			names = append(names, name)
		}
	}
	return names
}

// ModelsAsked are the models that agents ask, and those that stand in for them.
func (t *Table) ModelsAsked() (names []string) {
	for _, row := range agent.Table(nil) {
		if row.Name == agent.Explainer || row.Name == agent.Reviewer {
			continue // the orchestrator's
		}
		name := cmp.Or(t.Agents[row.Name].Model, row.Model)
		if row.Name == agent.Critic {
			name = cmp.Or(t.Agents[row.Name].Model, t.Agents[agent.Orchestrator].Model, row.Model)
		}
		for _, name := range append([]string{name}, t.Models[name].Fallback...) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
