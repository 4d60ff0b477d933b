package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/endpoint"
)

// examineModels asks the endpoint which models it has. One that it does not name is asked for one
// call of a tool, and so are all where it has no list.
func (d *Doctor) examineModels(ctx context.Context, f *findings) {
	s := d.settings
	if s.ModelURL == "" && s.ModelKey == "" {
		f.problem("OPENAI_API_KEY is not set", "set it to the key of your endpoint, or OPENAI_BASE_URL to one that needs none")
		return
	}
	if err := address.CheckWebAddress("OPENAI_BASE_URL", s.ModelURL); err != nil {
		f.problem(strings.TrimPrefix(err.Error(), "environment: "), "write it like https://api.openai.com/v1")
		return
	}
	client := model.New(model.Config{BaseURL: s.ModelURL, Key: s.ModelKey, Log: d.log, Retry: model.Retry{Tries: 1}, IdleTimeout: partWithin / 2})
	names, took, err := client.List(ctx)
	where := cmp.Or(hostOf(s.ModelURL), "api.openai.com")
	var refused *endpoint.Error
	switch {
	case errors.As(err, &refused):
		f.problem(fmt.Sprintf("%s: %s%s", where, refused.Text, httpStatus(refused.Status)), refused.Hint)
		return
	case errors.Is(err, endpoint.ErrNoList):
		f.note(where+" has no list of its models; each was asked for one call of a tool", "")
	case err != nil:
		f.problem(where+" does not answer", "check OPENAI_BASE_URL, and that this machine reaches it")
		return
	default:
		f.ok("%s answers (%s)", where, took.Round(time.Millisecond))
	}
	d.tryModels(ctx, client, names, f)
	d.examinePrices(f)
}

func httpStatus(code int) string {
	if code == 0 {
		return ""
	}
	return fmt.Sprintf(" (HTTP %d)", code)
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// tryModels looks at each model that is asked by somebody.
func (d *Doctor) tryModels(ctx context.Context, client *model.Client, names []string, f *findings) {
	asked := d.config.ModelsAsked()
	results := make([]findings, len(asked))
	var trying sync.WaitGroup
	for i, name := range asked {
		if slices.Contains(names, name) {
			results[i].ok("%s is there", name)
			continue
		}
		trying.Go(func() { tryModel(ctx, client, name, names, &results[i]) })
	}
	trying.Wait()
	*f = append(*f, slices.Concat(results...)...)
}

func tryModel(ctx context.Context, client *model.Client, name string, names []string, f *findings) {
	took, err := client.Try(ctx, name)
	var refused *endpoint.Error
	choose := "name another under agents in the configuration"
	if len(names) > 0 {
		choose += "; there are " + strings.Join(names[:min(len(names), 8)], ", ")
	}
	switch {
	case err == nil:
		f.ok("%s answers, and calls tools (%s)", name, took.Round(time.Millisecond))
	case errors.Is(err, model.ErrNoTools):
		f.problem(name+" answers, but does not call tools: it can do nothing", choose)
	case errors.As(err, &refused):
		f.problem(fmt.Sprintf("%s: %s%s%s", name, refused.Text, httpStatus(refused.Status), cli.DidYouMean(name, names)), strings.TrimPrefix(refused.Hint+"; "+choose, "; "))
	default:
		f.problem(name+" does not answer in time", choose)
	}
}

// examinePrices says whose cost would count as nothing.
func (d *Doctor) examinePrices(f *findings) {
	if names := d.config.ModelsNotLimited(); len(names) > 0 {
		f.warn("limits in USD do not count "+strings.Join(names, ", "), "give their prices under models, or set limits.session.tokens")
	} else if names := d.config.ModelsWithoutPrice(); len(names) > 0 {
		f.note("what "+strings.Join(names, ", ")+" costs is shown as nothing", "give their prices under models (docs/configuration.md)")
	}
}
