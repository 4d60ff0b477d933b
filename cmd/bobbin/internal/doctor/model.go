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
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// examineModels asks the shared endpoint for its list of models. It asks a model for one tool call if the
// list does not name it, if there is no list, or if the model has its own endpoint.
func (d *Doctor) examineModels(ctx context.Context, f *List) {
	client := d.modelClient()
	var names []string
	if d.config.NeedsSharedEndpoint() {
		answers := false
		if names, answers = d.examineEndpoint(ctx, client, f); !answers {
			return
		}
	}
	d.tryModels(ctx, client, names, f)
	d.examinePrices(f)
}

func (d *Doctor) modelClient() *model.Client {
	s := d.settings
	return model.New(model.Config{
		BaseURL:     s.ModelURL,
		Key:         s.ModelKey,
		Endpoints:   s.Endpoints,
		Log:         d.log,
		Retry:       model.Retry{Tries: 1},
		IdleTimeout: partTimeout / 2,
	})
}

// examineEndpoint examines the endpoint that serves every model without its own url. It returns the names
// of the endpoint's models, none if it has no list, and whether the endpoint answers.
func (d *Doctor) examineEndpoint(
	ctx context.Context, client *model.Client, f *List,
) (names []string, answers bool) {
	s := d.settings
	if s.ModelURL == "" && s.ModelKey == "" {
		f.problem("OPENAI_API_KEY is not set", "set it to the key of your endpoint, "+
			"or OPENAI_BASE_URL to one that needs none; or give each model a url")
		return nil, false
	}
	if err := address.CheckWebAddress("OPENAI_BASE_URL", s.ModelURL); err != nil {
		f.problem(strings.TrimPrefix(err.Error(), "environment: "), "write it like https://api.openai.com/v1")
		return nil, false
	}
	names, took, err := client.List(ctx)
	where := cmp.Or(hostOf(s.ModelURL), "api.openai.com")
	var refused *model.Error
	switch {
	case errors.As(err, &refused):
		what := refused.Text + httpStatus(refused.Status)
		if !strings.Contains(what, where) {
			what = where + ": " + what
		}
		f.problem(what, refused.Hint)
		return nil, false
	case errors.Is(err, model.ErrNoList):
		f.note(where+" does not list its models; each was asked for one tool call", "")
	case err != nil:
		f.problem(where+" does not answer", "check OPENAI_BASE_URL, and that this machine reaches it")
		return nil, false
	default:
		f.ok("%s answers (%s)", where, took.Round(time.Millisecond))
	}
	return names, true
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

// tryModels examines each model that an agent uses, or that is a fallback of one, all at the same time.
func (d *Doctor) tryModels(ctx context.Context, client *model.Client, names []string, f *List) {
	asked := d.config.ModelsAsked()
	results := make([]List, len(asked))
	var trying sync.WaitGroup
	for i, name := range asked {
		elsewhere := d.config.Models[name].URL
		ownKey := d.config.Models[name].KeyEnv != ""
		switch {
		case elsewhere != "":
			trying.Go(func() { tryModel(ctx, client, name+" at "+hostOf(elsewhere), name, nil, &results[i]) })
		case slices.Contains(names, name) && !ownKey: // the list was asked for with the shared key
			results[i].ok("%s is there", name)
		default:
			trying.Go(func() { tryModel(ctx, client, name, name, names, &results[i]) })
		}
	}
	trying.Wait()
	*f = append(*f, slices.Concat(results...)...)
}

// tryModel asks a model for one tool call. label is the model's name in the findings; names are the
// endpoint's models, for suggestions.
func tryModel(
	ctx context.Context, client *model.Client, label, name string, names []string, f *List,
) {
	took, err := client.Try(ctx, name)
	var refused *model.Error
	choose := "name another under agents in the configuration"
	if len(names) > 0 {
		choose += "; there are " + strings.Join(names[:min(len(names), 8)], ", ")
	}
	switch {
	case err == nil:
		f.ok("%s answers, and calls tools (%s)", label, took.Round(time.Millisecond))
	case errors.Is(err, model.ErrNoTools):
		f.problem(label+" answers, but does not call tools, so it cannot be used", choose)
	case errors.As(err, &refused):
		f.problem(fmt.Sprintf("%s: %s%s%s", label, refused.Text, httpStatus(refused.Status),
			cli.DidYouMean(name, names)), strings.TrimPrefix(refused.Hint+"; "+choose, "; "))
	default:
		f.problem(label+" does not answer in time", choose)
	}
}

// examinePrices says where the prices of the models in use are from, and reports models without a price:
// what they cost is not known.
func (d *Doctor) examinePrices(f *List) {
	if names, sources := d.config.ListedModels(); len(names) > 0 {
		f.ok("prices of %s as of %s, from %s; models in the configuration overrides them",
			strings.Join(names, ", "), config.PricesFrom(), strings.Join(sources, " and "))
	}
	if names := d.config.ModelsNotLimited(); len(names) > 0 {
		f.warn("limits in USD do not hold for "+strings.Join(names, ", ")+": the price is not known",
			"give their prices under models, or set limits.session.tokens")
	} else if names := d.config.ModelsWithoutPrice(); len(names) > 0 {
		f.note("no price is known of "+strings.Join(names, ", ")+": tokens are shown in place of the cost",
			"give their prices under models (docs/models.md)")
	}
}
