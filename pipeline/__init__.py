"""Raw files of scientific abstracts in, a curated, validated, published dataset out."""
