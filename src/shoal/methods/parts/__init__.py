"""What several methods are made of: requests, judging of classes, cells, closures, rings."""
