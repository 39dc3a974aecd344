package runner

// FeaturesText says what a model takes.
const FeaturesText = featuresText
