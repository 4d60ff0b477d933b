package config

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Price is what a model costs, in USD per million tokens, and who says so.
type Price struct {
	Input, Cached, Output float64
	Source                string // the public price list; empty: the configuration
}

// PricesFrom is the day as of which the prices that come with the program hold.
var PricesFrom = sync.OnceValue(func() string { return shippedPrices().Date })

// A priceTable is prices.json. The values of a model are input, cached input and output.
type priceTable struct {
	Date  string `json:"date"`
	Lists []struct {
		Source string                `json:"source"`
		Models map[string][3]float64 `json:"models"`
	} `json:"lists"`
}

//go:embed prices.json
var pricesFile []byte

// shippedPrices returns the table of prices. It panics if the embedded file is broken; a test reads it.
var shippedPrices = sync.OnceValue(func() (t priceTable) {
	if err := json.Unmarshal(pricesFile, &t); err != nil {
		panic("prices.json: " + err.Error())
	}
	return t
})

// PriceOf returns the price of a model: that of the configuration, or else that of the table which comes with
// the program. The table holds for models that are served elsewhere: whoever serves one on this machine does
// not pay by its maker's list. It returns false if the price is not known.
func (mt *ModelTable) PriceOf(name string) (Price, bool) {
	m := mt.Models[name]
	if m.Input != nil || m.Cached != nil || m.Output != nil {
		input := deref(m.Input)
		return Price{Input: input, Cached: cmp.Or(deref(m.Cached), input), Output: deref(m.Output)}, true
	}
	if onThisMachine(cmp.Or(m.URL, mt.SharedURL)) {
		return Price{}, false
	}
	return shippedPrice(cmp.Or(m.ServedAs, name))
}

func deref(usd *float64) float64 {
	if usd == nil {
		return 0
	}
	return *usd
}

// snapshot matches the date behind the name of a model: gpt-5-2025-08-07, claude-sonnet-4-5-20250929.
var snapshot = regexp.MustCompile(`-20\d\d-?\d\d-?\d\d$`)

func shippedPrice(model string) (Price, bool) {
	model = snapshot.ReplaceAllString(model, "")
	for _, list := range shippedPrices().Lists {
		if p, ok := list.Models[model]; ok {
			return Price{Input: p[0], Cached: p[1], Output: p[2], Source: list.Source}, true
		}
	}
	return Price{}, false
}

// onThisMachine reports whether the address of an endpoint is one of this machine.
func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// ListedModels returns the models in use whose prices are from the table that comes with the program, and the
// price lists that they are from.
func (mt *ModelTable) ListedModels() (names, sources []string) {
	for _, name := range mt.ModelsAsked() {
		p, known := mt.PriceOf(name)
		if !known || p.Source == "" {
			continue
		}
		names = append(names, name)
		if !slices.Contains(sources, p.Source) {
			sources = append(sources, p.Source)
		}
	}
	return names, sources
}

// ModelsWithoutPrice returns the models in use whose price is not known.
func (mt *ModelTable) ModelsWithoutPrice() (names []string) {
	for _, name := range mt.ModelsAsked() {
		if _, known := mt.PriceOf(name); !known {
			names = append(names, name)
		}
	}
	return names
}
