package model

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

// askModel asks one model, and retries temporary failures.
func (c *Client) askModel(ctx context.Context, r Request) (Response, error) {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval = c.cfg.Retry.Wait
	growing.MaxInterval = c.cfg.Retry.MaxWait
	growing.Multiplier = 2
	fields := 0
	return backoff.Retry(ctx, func() (Response, error) {
		without := c.unknownFields(r.Model)
		response, err := c.once(ctx, r, without)
		for err != nil && fields < len(optionalFields) && c.learn(r.Model, without, err) {
			fields++
			without = c.unknownFields(r.Model)
			response, err = c.once(ctx, r, without)
		}
		if showsPictures(r) && refusesPicture(err) {
			response, err = c.once(ctx, withoutPictures(r), without)
		}
		return response, c.judge(err, growing)
	},
		backoff.WithBackOff(growing),
		backoff.WithMaxTries(uint(max(1, c.cfg.Retry.Tries))),
		backoff.WithMaxElapsedTime(0), // tries and waits are limited already; answers may take long
		backoff.WithNotify(func(err error, wait time.Duration) {
			var e *endpoint.Error
			if errors.As(err, &e) {
				c.announce(r,
					RetryNotice{Kind: e.Kind, Model: r.Model, Reason: e.Text, Wait: wait, Asked: e.After > 0})
			}
		}),
	)
}

// judge turns an error into one that tells backoff whether and when to retry.
func (c *Client) judge(err error, growing *backoff.ExponentialBackOff) error {
	var e *endpoint.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &e) || !e.Retry:
		return backoff.Permanent(err)
	case e.After > c.cfg.Retry.MaxWait:
		e.Hint = "the endpoint asks to wait " + e.After.Round(time.Second).String() + "; " + e.Hint
		return backoff.Permanent(err)
	case e.After > 0:
		// A little later than asked, and not all requests at the same moment.
		jitter := growing.NextBackOff() / 10
		return errors.Join(err, &backoff.RetryAfterError{Duration: e.After + jitter})
	}
	return err
}

// Fields of the request that not every endpoint knows.
const (
	fieldUsage  = "stream_options"
	fieldCache  = "prompt_cache_key"
	fieldEffort = "reasoning_effort"
	// fieldPictures stands for the pictures in messages.
	fieldPictures = "image_url"
	fieldExtra    = "extra_content" // what an endpoint sent with a call, to get it back
	// fieldSignature stands for Gemini's signature, which calls of other models lack: a placeholder is sent.
	fieldSignature = "thought_signature"
)

var optionalFields = map[string]*regexp.Regexp{
	fieldUsage:    regexp.MustCompile(`stream_options|include_usage`),
	fieldCache:    regexp.MustCompile(`prompt_cache_key`),
	fieldEffort:   regexp.MustCompile(`reasoning_effort`),
	fieldPictures: regexp.MustCompile(`(?i)image_url|image (input|content)|vision|multimodal`),
	fieldExtra:    regexp.MustCompile(`extra_content`),

	// It has to be missing: one that refuses signatures may repeat them.
	fieldSignature: regexp.MustCompile(`(?i)missing an? \W{0,2}thought_?signature`),
}

// notKnown matches the words for a field that an endpoint does not know, or misses, as opposed
// to a value that it refuses.
var notKnown = regexp.MustCompile(`(?i)un(supported|known|recognized|expected)|extra|not (permitted|` +
	`supported|allowed)|does not support|instead|invalid (field|param)|missing a`)

// learn records that an endpoint refused a request because of an optional field, so that the request is sent
// again without it. without holds the fields that the request lacked already. learn reports
// whether the request is worth sending again: its field is left out now, also if another
// request has learnt that meanwhile.
func (c *Client) learn(model string, without map[string]bool, err error) bool {
	var e *endpoint.Error
	if !errors.As(err, &e) || e.Kind != endpoint.KindRefused || e.Status != 400 && e.Status != 422 ||
		!notKnown.MatchString(e.Text) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for field, named := range optionalFields {
		if without[field] || !named.MatchString(e.Text) {
			continue
		}
		if c.without[model][field] {
			return true
		}
		if c.without[model] == nil {
			c.without[model] = map[string]bool{}
		}
		c.without[model][field] = true
		c.cfg.Log.Warn("the endpoint does not know a field, or misses it; going on otherwise", "model", model,
			"field", field, "reason", e.Text)
		return true
	}
	return false
}

func (c *Client) unknownFields(model string) map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.without[model])
}
