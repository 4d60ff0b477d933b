package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// ErrNoList means that an endpoint answers, but does not list its models.
var ErrNoList = errors.New("the endpoint has no list of its models")

const maxList = 8 << 20

// List asks the endpoint once for the names of its models, sorted, and returns how long that took. Its error
// is an *Error, ErrNoList, or the context's cause.
func (e Endpoint) List(
	ctx context.Context, client *http.Client,
) (names []string, took time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		strings.TrimRight(e.BaseURL, "/")+"/models", nil)
	if err != nil {
		return nil, 0, (&Error{
			Kind: KindAuth,
			Text: oneLine(err.Error()),
			Hint: hintAddress,
		}).withModelMaskingKey("", e.Key)
	}
	e.setHeaders(request.Header)
	began := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return nil, 0, e.unlisted(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxList))
	took = time.Since(began)
	if err != nil {
		return nil, took, e.unlisted(ctx, err)
	}
	if code := response.StatusCode; code == http.StatusNotFound || code == http.StatusMethodNotAllowed ||
		code == http.StatusNotImplemented {
		return nil, took, ErrNoList
	}
	if response.StatusCode != http.StatusOK || isPage(response) || webPage.Match(body) {
		return nil, took, endpointError(response.StatusCode, response.Header,
			body).withModelMaskingKey("", e.Key)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil || len(list.Data) == 0 {
		return nil, took, ErrNoList
	}
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	slices.Sort(names)
	return names, took, nil
}

func (e Endpoint) unlisted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	plain := plaintext.NetworkError(err)
	var network *url.Error
	if errors.As(err, &network) {
		err = network.Err
	}
	return (&Error{
		Kind:  KindUnreachable,
		Text:  cmp.Or(plain, oneLine(err.Error())),
		Hint:  hintAddress,
		cause: err,
	}).withModelMaskingKey("", e.Key)
}
