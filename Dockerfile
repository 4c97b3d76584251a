# The page, or a watch over a folder, without rights to anything but what is mounted:
#   docker build -t visionsweeper .
#   docker run --rm --read-only --tmpfs /tmp -p 127.0.0.1:8585:8585 visionsweeper
#   docker run --rm --read-only --tmpfs /tmp -v "$PWD/shots:/shots" visionsweeper watch /shots
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /app && /app/bin/pip install --no-cache-dir '.[web]'

FROM python:3.13-slim
COPY --from=build /app /app
RUN useradd --uid 1000 --no-create-home --shell /usr/sbin/nologin player
USER 1000
ENV PATH=/app/bin:$PATH HOME=/tmp VISIONSWEEPER_DATA=/tmp/visionsweeper PYTHONDONTWRITEBYTECODE=1
EXPOSE 8585
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8585/', timeout=4)"]
ENTRYPOINT ["visionsweeper"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8585", "--no-browser"]
