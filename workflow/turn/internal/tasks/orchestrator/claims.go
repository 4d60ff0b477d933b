package orchestrator

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/evidence"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/siblings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
)

// claims holds the statements of a report that the program checks.
type claims struct {
	evidence              []workflow.Evidence
	reproduction, example string
	// other places with the defect; the results are written into it; nil: none were looked for
	siblings      *workflow.Siblings
	cause, change string
}

// unprovenClaims returns which of the claims nothing in the session shows, or an empty string if all are
// shown.
func (o *Orchestrator) unprovenClaims(ctx context.Context, claimed claims) (string, error) {
	p, err := o.sessionEvidence(ctx)
	if err != nil {
		return "", err
	}
	wrong := strings.TrimSpace(p.NotSeen(claimed.evidence) + "\n" + p.ExampleMissing(claimed.example))
	if wrong != "" {
		return wrong, nil
	}
	if claimed.siblings != nil {
		place := o.Trees.Current()
		search := siblings.Search{
			Root:   place.Copy.Root(),
			Folder: cmp.Or(place.Folder(), "."),
			Past:   p,
			Cause:  claimed.cause,
			Change: claimed.change,
		}
		if wrong, err = search.Settle(ctx, claimed.siblings); wrong != "" || err != nil {
			return wrong, err
		}
	}
	if claimed.reproduction == "" {
		return "", nil
	}
	c, err := o.newestRun(ctx, claimed.reproduction)
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
	return p.WeakReproduction(*c), nil
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
