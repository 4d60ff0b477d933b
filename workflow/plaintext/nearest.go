package plaintext

// NearestWord returns the known word that is nearest to word and at most two edits away, or an empty string
// if there is none. Of equally near words it returns the first.
func NearestWord(word string, known []string) string {
	best := ""
	least := 3
	for _, k := range known {
		if d := EditDistance(word, k, least-1); d < least {
			best = k
			least = d
		}
	}
	return best
}

// EditDistance returns the Levenshtein distance of two texts in bytes: how many bytes have to be added,
// removed or replaced to turn one into the other. If the distance is more than most, it may return any
// number above most, so that a search through many names is cheap.
func EditDistance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, above+1, row[j]+1)
			diagonal = above
		}
	}
	return row[len(b)]
}
