package settings

// extends is the first element of a list that is added to the one below it.
const extends = "+"

// merge lays one map over another.
func merge(below, above map[string]any) map[string]any {
	merged := make(map[string]any, len(below)+len(above))
	for key, v := range below {
		merged[key] = v
	}
	for key, v := range above {
		switch v := v.(type) {
		case nil:
			delete(merged, key)
		case map[string]any:
			old, _ := merged[key].(map[string]any)
			merged[key] = merge(old, v)
		case []any:
			merged[key] = mergeLists(merged[key], v)
		default:
			merged[key] = v
		}
	}
	return merged
}

func mergeLists(below any, above []any) []any {
	if len(above) == 0 || above[0] != extends {
		return above
	}
	old, _ := below.([]any)
	for _, v := range above[1:] {
		if !contains(old, v) {
			old = append(old, v)
		}
	}
	return old
}

func contains(list []any, v any) bool {
	for _, x := range list {
		if equal(x, v) {
			return true
		}
	}
	return false
}

// equal compares texts, numbers and booleans; maps and lists are equal to nothing.
func equal(a, b any) bool {
	switch a.(type) {
	case string, float64, bool:
		return a == b
	}
	return false
}
