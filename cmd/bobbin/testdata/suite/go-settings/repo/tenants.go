package settings

import (
	"fmt"
	"sort"
)

// Tenants are the stacks of all tenants over those of their regions.
type Tenants struct {
	regions map[string]*Stack
	tenants map[string]*Stack
}

// Load builds the stacks. region says for each tenant which region it is in.
func Load(defaults map[string]any, regions, tenants map[string]map[string]any, region map[string]string) (*Tenants, error) {
	all := &Tenants{regions: map[string]*Stack{}, tenants: map[string]*Stack{}}
	base := New(defaults)
	for name, layer := range regions {
		all.regions[name] = base.With(layer)
	}
	for _, name := range sorted(tenants) {
		below, ok := all.regions[region[name]]
		if !ok {
			return nil, fmt.Errorf("settings: tenant %s is in no region", name)
		}
		all.tenants[name] = below.With(tenants[name])
	}
	return all, nil
}

// Of are the settings of a tenant; nil where there is none of the name.
func (t *Tenants) Of(tenant string) *Stack { return t.tenants[tenant] }

func sorted(m map[string]map[string]any) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
