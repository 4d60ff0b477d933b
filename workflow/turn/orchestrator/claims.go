package orchestrator

import (
	"cmp"
	"context"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/diagnosis"
	"github.com/bobbinhq/bobbin/workflow/turn/evidence"
	"github.com/bobbinhq/bobbin/workflow/turn/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/siblings"
)

// claims are what a report says that the program looks up.
type claims struct {
	evidence              []diagnosis.Evidence
	reproduction, example string
	siblings              *diagnosis.Siblings // what is known of them is written here; nil: none were looked for
	cause, change         string
}

// notShown says which of the claims nothing in the session shows; empty where all are shown.
func (o *Orchestrator) notShown(ctx context.Context, said claims) (string, error) {
	p, err := o.openPast(ctx)
	if err != nil {
		return "", err
	}
	wrong := strings.TrimSpace(p.NotSeen(said.evidence) + "\n" + p.ExampleMissing(said.example))
	if wrong != "" {
		return wrong, nil
	}
	if said.siblings != nil {
		place := o.Trees.Current()
		search := siblings.Search{Root: place.Copy.Root(), Folder: cmp.Or(place.Folder(), "."), Past: p, Cause: said.cause, Change: said.change}
		if wrong, err = search.Settle(ctx, said.siblings); wrong != "" || err != nil {
			return wrong, err
		}
	}
	if said.reproduction == "" {
		return "", nil
	}
	c, err := o.newestRun(ctx, said.reproduction)
	if err != nil {
		return "", err
	}
	if c == nil {
		return "The reproduction was not run here: give the command to run first, word for word, or leave reproduction out; the report is then marked unproven.", nil
	}
	return p.WeakReproduction(*c), nil
}

// openPast is what a report of this session can rest on.
func (o *Orchestrator) openPast(ctx context.Context) (p evidence.Past, err error) {
	j, err := o.Runtime.OpenTranscript(ctx, 0, o.Agents[agent.Orchestrator])
	if err != nil {
		return p, err
	}
	p.Messages = j.Messages()
	if p.Commands, err = o.Store.Commands(ctx, o.Session().ID); err != nil {
		return p, err
	}
	p.Attached, err = o.Store.Attachments(ctx, o.Session().ID)
	return p, err
}

// quotedGrounds are what stands behind a report, with the lines that its evidence cites.
func (o *Orchestrator) quotedGrounds(r workflow.Report) findings.Grounds {
	g := findings.GroundsOf(r)
	g.Quoted = map[string]string{}
	for _, e := range g.Evidence {
		if places := evidence.PlacesOf(e.Source); len(places) > 0 {
			g.Quoted[e.Source] = o.Trees.Current().Line(places[0].Path, places[0].First)
		}
	}
	return g
}
