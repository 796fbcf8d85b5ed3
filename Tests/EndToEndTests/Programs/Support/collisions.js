// Words of a drawing that lie on other words of it, or out of the card that it stands on. What is slanted is compared as it
// is, not by the upright box around it. Letters rarely fill their box: a pixel and a half on each side are no collision.
const corners = text => {
    const box = text.getBBox(), matrix = text.getScreenCTM()
    return [[box.x, box.y], [box.x + box.width, box.y], [box.x + box.width, box.y + box.height], [box.x, box.y + box.height]]
        .map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix))
}
const apart = (one, two) => [one, two].some(shape => [0, 1].some(side => {
    const [x, y] = [shape[side + 1].y - shape[side].y, shape[side].x - shape[side + 1].x]
    const length = Math.hypot(x, y) || 1
    const [left, right] = [one, two].map(each => each.map(point => (point.x * x + point.y * y) / length))
    return Math.max(...left) - 1.5 < Math.min(...right) + 1.5 || Math.max(...right) - 1.5 < Math.min(...left) + 1.5
}))
const found = []
for (const chart of document.querySelectorAll('.chart')) {
    const texts = [...chart.querySelectorAll('svg text')]
        .filter(text => text.textContent.trim() && getComputedStyle(text).display !== 'none')
        .map(text => ({words: text.textContent, corners: corners(text)}))
    const card = chart.closest('.insight, main, body').getBoundingClientRect()
    for (const {words, corners} of texts)
        if (corners.some(point => point.x < card.left - 1.5 || point.x > card.right + 1.5)) found.push(words)
    texts.forEach((one, place) => {
        for (const two of texts.slice(place + 1))
            if (!apart(one.corners, two.corners)) found.push(one.words + ' | ' + two.words)
    })
}
return found
