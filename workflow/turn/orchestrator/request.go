package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
)

// offerText are what people may choose instead of going on like this.
func (o *Orchestrator) offerText(r workflow.Request) string {
	switch {
	case o.Session().Workflow != workflow.CommandNone:
		return ""
	case r.Large():
		return "\nThis looks like much at once. Say `/start-work` and I write a plan for you to review first."
	case intent.Vague(o.Session().Title):
		return "\nThat was short. Say `/grill-me` and I ask you what I would otherwise decide myself."
	}
	return ""
}

// NewReport is the next revision; its text is set by the caller.
func (o *Orchestrator) NewReport(ctx context.Context, kind string, body any) (*workflow.Report, error) {
	s := o.Session()
	b, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	askers, err := o.Permissions.RequestAuthors(ctx, kind)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return &workflow.Report{Session: s.ID, Revision: s.Revision + 1, Kind: kind, Body: b, BaseCommit: s.BaseCommit, AskedBy: askers}, nil
}
