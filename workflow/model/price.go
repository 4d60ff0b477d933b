package model

import openai "github.com/sashabaranov/go-openai"

// A Price is what a model costs, in USD per million tokens.
type Price struct {
	Input  float64
	Output float64
	Cached float64 // input served from the endpoint's cache; 0: the price of other input
}

// Of returns the price of u in USD.
func (p Price) Of(u Usage) float64 {
	cached := p.Cached
	if cached == 0 {
		cached = p.Input
	}
	fresh := float64(max(0, u.Input-u.Cached))
	return (fresh*p.Input + float64(u.Cached)*cached + float64(u.Output)*p.Output) / 1e6
}

// usageOf returns the figures that an endpoint sent. If it sent none, they are estimated from the bytes sent
// and received, so that a budget holds nevertheless.
func usageOf(u *openai.Usage, sent, received int) Usage {
	if u == nil || u.PromptTokens == 0 && u.CompletionTokens == 0 {
		return Usage{Input: tokens(sent), Output: tokens(received), Estimated: true}
	}
	out := Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
	if d := u.PromptTokensDetails; d != nil {
		out.Cached = min(d.CachedTokens, out.Input)
	}
	if d := u.CompletionTokensDetails; d != nil {
		out.Reasoning = d.ReasoningTokens
	}
	return out
}

// tokens estimates the number of tokens in so many bytes, at 3.6 bytes a token, as in English and code.
func tokens(bytes int) int { return (bytes*10 + 35) / 36 }
