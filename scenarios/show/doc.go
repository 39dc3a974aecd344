// Package show makes tables and figures of results. It computes no metric.
package show
