package home

import (
	"context"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
)

// mostLessons is how many a home lists, the newest.
const mostLessons = 20

// lessons are what was learned of the repositories, those of private ones for whoever is in a
// channel of theirs.
func (h *Homes) lessons(ctx context.Context, channels []string) (list []workflow.HomeLesson, err error) {
	all, err := lessons.Of(ctx, h.Store.DB, "", "")
	for _, l := range all {
		at := slices.IndexFunc(h.Repositories, func(r catalog.Repository) bool { return r.Name == l.Repository })
		if at < 0 || h.Repositories[at].Private && !slices.ContainsFunc(h.Repositories[at].Channels, func(c string) bool { return slices.Contains(channels, c) }) {
			continue
		}
		x := workflow.HomeLesson{Number: l.ID, Repository: l.Repository, Text: h.Secrets.Mask(l.Text), By: l.Person, At: l.At}
		if slices.Contains(channels, l.Channel) {
			x.Thread = workflow.Thread{Channel: l.Channel, TS: l.ThreadTS}
		}
		list = append(list, x)
	}
	return list[max(0, len(list)-mostLessons):], err
}
