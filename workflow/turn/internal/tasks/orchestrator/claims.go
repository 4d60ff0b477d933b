package orchestrator

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/evidence"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/siblings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// claims holds the statements of a report that the program checks.
type claims struct {
	evidence              []workflow.Evidence
	reproduction, example string
	// other places with the defect; the results are written into it; nil: none were looked for
	siblings      *workflow.Siblings
	cause, change string
	headline      string // what stands in the program's first line; empty: the agent says nothing there
}

// unprovenClaims returns what is wrong with the claims that nothing in the session shows, an item for each.
func (o *Orchestrator) unprovenClaims(ctx context.Context, claimed claims) (wrong []string, err error) {
	p, err := o.sessionEvidence(ctx)
	if err != nil {
		return nil, err
	}
	wrong = append(wrong, p.NotSeen(claimed.evidence), p.ExampleMissing(claimed.example))
	if claimed.siblings != nil {
		place := o.Trees.Current()
		search := siblings.Search{
			Root:   place.Copy.Root(),
			Folder: cmp.Or(place.Folder(), "."),
			Past:   p,
			Cause:  claimed.cause,
			Change: claimed.change,
		}
		unsettled, err := search.Settle(ctx, claimed.siblings)
		if err != nil {
			return nil, err
		}
		wrong = append(wrong, unsettled)
	}
	unreproduced, err := o.weakReproduction(ctx, p, claimed.reproduction)
	wrong = append(wrong, unreproduced)
	return slices.DeleteFunc(wrong, func(s string) bool { return s == "" }), err
}

// weakReproduction returns why the command of a report cannot show the bug, or an empty string.
func (o *Orchestrator) weakReproduction(
	ctx context.Context, p evidence.Past, reproduction string,
) (string, error) {
	if reproduction == "" {
		return "", nil
	}
	c, err := o.newestRun(ctx, reproduction)
	if err != nil {
		return "", err
	}
	switch {
	case c == nil:
		return "The reproduction was not run here: give a command to run first, and then its number " +
			"(run N), or leave reproduction out; the report is then marked unproven.", nil
	case tool.UsesScratch(c.Command):
		return "The reproduction needs $SCRATCH, which no proof has, and whose files nobody else sees: " +
			"give to run one command that writes what it needs itself (cat > file <<'EOF'), and report " +
			"that run.", nil
	}
	return p.WeakReproduction(*c, o.triedElsewhere()), nil
}

// triedElsewhere returns the other branches on which a command is run that passes here: the releases, and the
// repository's own base. They are none where nothing is run on other branches.
func (o *Orchestrator) triedElsewhere() (names []string) {
	p := o.Trees.Current()
	if !o.Delivery.LooksBack || o.Session().Head != "" || p.Elsewhere == nil {
		return nil
	}
	for _, b := range p.Elsewhere() {
		names = append(names, prompt.PersonName(b.Name))
	}
	return names
}

// sessionEvidence returns what a report of this session can be based on: the transcript, the commands that
// were run, and the attached files.
func (o *Orchestrator) sessionEvidence(ctx context.Context) (p evidence.Past, err error) {
	j, err := o.Runtime.OpenTranscript(ctx, 0, o.Agents[agent.Orchestrator])
	if err != nil {
		return p, err
	}
	p.Messages = j.Messages()
	p.Sources = o.Runtime.Sources.Names()
	p.Others = slices.Collect(maps.Keys(o.Trees.Current().Others))
	if p.Commands, err = o.Store.Commands(ctx, o.Session().ID); err != nil {
		return p, err
	}
	p.Attached, err = o.Store.Attachments(ctx, o.Session().ID)
	return p, err
}

// quotedGrounds returns the grounds of a report, with the lines of code that its evidence cites.
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
