// Package deliveries tests the program with a Slack that delivers events late, twice, shuffled
// and over links that break, and that refuses or loses what is posted. Each event has its effect
// once, and each line is posted once, in the order of its thread. The package has tests alone.
// BOBBIN_REDELIVERY=seed and BOBBIN_WEATHER="seed lines threads" run other cases.
package deliveries
