package initcmd

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/agent"
)

const defaultModel = agent.DefaultModel

// A choice is an option that a person chooses by its number or its name.
type choice struct {
	name  string // as people read it
	value string // as it is written in the file
	note  string // what is said behind the name where it is offered
}

// A file holds the answers from which the first configuration file is written.
type file struct {
	Name, URL, Model    string
	Channels, Approvers []choice
}

func (f file) String() string {
	var b strings.Builder
	b.WriteString("# Made by bobbin init. docs/configuration.md describes every key; bobbin schema is for " +
		"editors.\nrepositories:\n")
	fmt.Fprintf(&b, "  - name: %s\n    url: %s\n", quoted(f.Name), quoted(f.URL))
	list := func(key string, of []choice) {
		if len(of) == 0 {
			return
		}
		var values, names []string
		for _, c := range of {
			values = append(values, quoted(c.value))
			if c.name != c.value {
				names = append(names, c.name)
			}
		}
		fmt.Fprintf(&b, "    %s: [%s]", key, strings.Join(values, ", "))
		if len(names) > 0 {
			b.WriteString(" # " + strings.Join(strings.Fields(strings.Join(names, " ")), " "))
		}
		b.WriteString("\n")
	}
	list("channels", f.Channels)
	list("approvers", f.Approvers)
	if f.Model != "" {
		b.WriteString("agents:\n")
		for _, name := range slices.Sorted(maps.Keys(agent.Table(nil))) {
			if name == agent.Explainer || name == agent.Reviewer || name == agent.Critic {
				continue // these agents use the orchestrator's model
			}
			fmt.Fprintf(&b, "  %s: {model: %s}\n", name, quoted(f.Model))
		}
	}
	return b.String()
}

// quoted returns text as a JSON string, which is also valid YAML.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return string(b)
}
