package model_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

func TestAskDoesNotRepeatWhatCannotChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		kind   endpoint.Kind
		words  string
	}{
		"401": {
			status(401, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`), endpoint.KindAuth,
			"check OPENAI_API_KEY",
		},
		"401, masked key": {
			status(401, `{"error":{"message":"bad key sk-very-*****6789"}}`), endpoint.KindAuth,
			"bad key [key]",
		},
		"403": {status(403, `forbidden`), endpoint.KindAuth, "forbidden (HTTP 403)"},
		"a login page": {
			status(200, "<!DOCTYPE html><title>Sign in</title>", "Content-Type", "text/html; charset=utf-8"),
			endpoint.KindAuth, "OPENAI_BASE_URL",
		},
		"a page as a stream": {stream("<html><body>Sign in"), endpoint.KindAuth, "OPENAI_BASE_URL"},
		"404 page": {
			status(404, "<html>", "Content-Type", "text/html"), endpoint.KindAuth, "OPENAI_BASE_URL",
		},
		"redirect": {
			status(302, "", "Location", "https://login.example/x"), endpoint.KindRefused,
			"redirects to https://login.example/x",
		},
		"no such model": {
			status(404, `{"error":{"message":"The model m does not exist","code":"model_not_found"}}`),
			endpoint.KindRefused, "check the model's name",
		},
		"content": {
			status(400, `{"error":{"message":"flagged","code":"content_policy_violation"}}`),
			endpoint.KindRefused, "flagged",
		},
		"overflow, OpenAI": {
			status(400, `{"error":{"message":"This model's maximum context length is 128000 tokens",`+
				`"code":"context_length_exceeded"}}`),
			endpoint.KindOverflow, "shortened",
		},
		"overflow, llama.cpp": {
			status(400, `{"error":{"code":400,"message":"the request exceeds the available context size",`+
				`"type":"exceed_context_size_error"}}`),
			endpoint.KindOverflow, "shortened",
		},
		"overflow, streamed": {
			stream(`data: {"error":{"message":"prompt is too long: 210000 tokens"}}`), endpoint.KindOverflow,
			"shortened",
		},
		"quota": {
			status(429,
				`{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}`),
			endpoint.KindQuota, "fallback",
		},
		"credits": {
			status(402, `{"error":{"message":"Insufficient credits","code":402}}`), endpoint.KindQuota,
			"fallback",
		},
		"a day's, Gemini": {
			status(429, geminiLimit(20, "Day", "0.01s")), endpoint.KindQuota, "raise the allowance",
		},
		"none, Gemini": {
			status(429, geminiLimit(0, "Minute", "0.01s")), endpoint.KindQuota, "raise the allowance",
		},
		"an hour, Gemini": {
			status(429, geminiLimit(20, "Minute", "1h0m0.4s")), endpoint.KindQuota, "asks to wait 1h0m0s",
		},
		"an hour": {
			status(429, `{"error":"rate limited"}`, "Retry-After", "3600"), endpoint.KindQuota,
			"asks to wait 1h0m0s",
		},
		"plain string": {
			status(400, `{"error":"bad thing"}`), endpoint.KindRefused, "bad thing (HTTP 400)",
		},
		"detail": {
			status(422, `{"detail":[{"loc":["body"],"msg":"wrong"}]}`), endpoint.KindRefused, "wrong",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			e := serve(t, c.answer)
			client := e.client(func(cfg *model.Config) {
				cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			})
			_, err := client.Ask(t.Context(), ask())
			failed := failure(t, err)
			require.Equal(t, c.kind, failed.Kind, err)
			require.Contains(t, err.Error(), c.words)
			require.Len(t, e.asked(), 1)
			require.NotContains(t, log.String(), key)
			require.NotContains(t, fmt.Sprintf("%+v %v", failed, errors.Unwrap(failed)), key)
			require.NotContains(t, err.Error(), "6789")
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestAskWaitsAsLongAsItIsTold(t *testing.T) {
	t.Parallel()
	const slowDown = `{"error":{"message":"slow down"}}`
	for name, answer := range map[string]http.HandlerFunc{
		"seconds":              status(429, slowDown, "Retry-After", "20.5"),
		"milliseconds":         status(429, slowDown, "Retry-After-Ms", "20500", "Retry-After", "60"),
		"Gemini":               status(429, geminiLimit(20, "Minute", "20.500000123s")),
		"Gemini, milliseconds": status(429, geminiLimit(20, "Minute", "20500.1ms")),
		"Gemini, details": status(429,
			`[{"error":{"code":429,"message":"You exceeded your current quota.",`+
				`"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay": "20.5s"}]}}]`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, e *testServer) {
				r := ask()
				var waits []time.Duration
				r.OnRetry = func(a model.RetryNotice) { waits = append(waits, a.Wait) }
				began := time.Now()
				_, err := e.client(func(c *model.Config) { c.Retry.MaxWait = time.Minute }).Ask(t.Context(),
					r)
				require.NoError(t, err)
				require.Len(t, waits, 1)
				require.GreaterOrEqual(t, waits[0], 20500*time.Millisecond)
				require.Less(t, waits[0], 21*time.Second)
				require.Equal(t, waits[0], time.Since(began))
			}, answer, good)
		})
	}
}

// geminiLimit returns Gemini's words for one of its limits, whose period is a Minute or a Day.
func geminiLimit(limit int, period, wait string) string {
	return fmt.Sprintf(`[{"error":{"code":429,"message":"You exceeded your current quota, please check `+
		`your plan and billing details. For more information on this error, head to: `+
		`https://ai.google.dev/gemini-api/docs/rate-limits. To monitor your current usage, head to: `+
		`https://ai.dev/rate-limit. \n* Quota exceeded for metric: `+
		`generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: %d, model: `+
		`gemini-3-flash\nPlease retry in %s.","status":"RESOURCE_EXHAUSTED",`+
		`"details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure",`+
		`"violations":[{"quotaId":"GenerateRequestsPer%sPerProjectPerModel-FreeTier"}]}]}}]`,
		limit, wait, period)
}

func TestAskFallsBackAtOnceOnQuota(t *testing.T) {
	t.Parallel()
	empty := status(429,
		`{"error":{"type":"insufficient_quota","message":"You exceeded your current quota"}}`,
		"Retry-After", "30")
	first := serve(t, empty)
	second := serve(t, empty, good)
	c := first.client(func(c *model.Config) {
		c.Fallback = map[string][]string{"m": {"n", "o"}}
		c.Endpoints = map[string]endpoint.Endpoint{
			"o": {BaseURL: second.URL + "/v1", Key: "other-secret"},
			"n": {BaseURL: second.URL + "/v1"},
		}
		c.Prices = map[string]model.Price{"o": {Input: 1000, Output: 0}}
	})
	r := ask()
	var reasons []string
	r.OnRetry = func(a model.RetryNotice) {
		reasons = append(reasons, a.Model+": "+a.Reason+"; asking "+a.Instead+" instead")
	}
	got, err := c.Ask(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, "o", got.Model)
	require.InDelta(t, 1.0, got.Usage.USD, 1e-9)
	require.Equal(t, []string{
		"m: You exceeded your current quota; asking n instead",
		"n: You exceeded your current quota; asking o instead",
	}, reasons)
	require.Len(t, first.asked(), 1)

	nobody := serve(t, empty)
	_, err = nobody.client(func(c *model.Config) {
		c.Fallback = map[string][]string{"m": {"n"}}
	}).Ask(t.Context(), ask())
	require.Equal(t, "n", failure(t, err).Model)
	require.Len(t, nobody.asked(), 2)
}

func TestAskGoesOnWithoutFieldsThatAreNotKnown(t *testing.T) {
	t.Parallel()
	refuse := func(words string) http.HandlerFunc {
		return status(400, fmt.Sprintf(`{"error":{"message":%q}}`, words))
	}
	e := serve(t, refuse("extra fields not permitted: prompt_cache_key"),
		refuse("Unknown field stream_options"),
		refuse("reasoning_effort is not supported by this model"), good)
	c := e.client()
	r := ask()
	r.CacheKey, r.Effort = "k", "low"
	_, err := c.Ask(t.Context(), r)
	require.NoError(t, err)
	_, err = c.Ask(t.Context(), r)
	require.NoError(t, err)
	asked := e.asked()
	require.Len(t, asked, 5, "what was learnt is kept")
	require.Equal(t, asked[3], asked[4])
	require.JSONEq(t, `{"model":"m","stream":true,"messages":[{"role":"system","content":"be brief"},
		{"role":"user","content":"hello"}]}`, asked[4])

	stubborn := serve(t, refuse("Unsupported parameter: stream_options"))
	_, err = stubborn.client().Ask(t.Context(), ask())
	require.Equal(t, endpoint.KindRefused, failure(t, err).Kind)
	require.Len(t, stubborn.asked(), 2)
}

// Two requests that are on their way when an endpoint refuses a field are both sent again without it.
func TestRequestsAtTheSameMomentGoOnWithoutAFieldThatIsNotKnown(t *testing.T) {
	t.Parallel()
	var sent sync.WaitGroup
	sent.Add(2)
	refused := func(w http.ResponseWriter, r *http.Request) {
		sent.Done()
		sent.Wait()
		status(400, `{"error":{"message":"Unknown field prompt_cache_key"}}`)(w, r)
	}
	e := serve(t, refused, refused, good)
	c := e.client()
	r := ask()
	r.CacheKey = "k"
	var errs [2]error
	var asking sync.WaitGroup
	for i := range errs {
		asking.Go(func() { _, errs[i] = c.Ask(t.Context(), r) })
	}
	asking.Wait()
	require.NoError(t, errors.Join(errs[:]...))
	asked := e.asked()
	require.Len(t, asked, 4)
	for i, body := range asked {
		require.Equal(t, i < 2, strings.Contains(body, "prompt_cache_key"), body)
	}
}

// A date in Retry-After is read by the endpoint's clock, which may be an hour ahead of the program's.
func TestAskReadsADateByTheEndpointsClock(t *testing.T) {
	t.Parallel()
	ahead := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	e := serve(t, status(429, `{"error":{"message":"slow down"}}`, "Retry-After", ahead, "Date", ahead), good)
	_, err := e.client().Ask(t.Context(), ask())
	require.NoError(t, err)
}
